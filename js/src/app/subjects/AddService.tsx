import { useState } from "preact/hooks";
import { postJson } from "../lib/api";
import type { Tried } from "./records";

const TOML = `name = "my-service"

[request]
url = "http://127.0.0.1:8080/answer"
json = { text = "{text}" }

[answer]
path = "reply"
`;

interface Props {
  local: boolean;
  onAdded: (name: string) => void;
}

/** Adds a chat model or an HTTP service, after one case if a person wants to try it. */
export function AddService({ local, onAdded }: Props) {
  const [kind, setKind] = useState("chat");
  const [values, setValues] = useState<Record<string, string>>({
    use: "answer",
    description: TOML,
  });
  const [tried, setTried] = useState<Tried | null>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
  if (!local)
    return (
      <section class="panel">
        <h3>A chat or HTTP service</h3>
        <p class="quiet">Services are added on the machine that runs the app.</p>
      </section>
    );
  // A language model is a subject by its address, and no service that answers in words.
  const source = `openai:${(values.model ?? "").trim()}@${(values.address ?? "").trim()}`;
  const sent = () => {
    if (kind === "server") return { kind, source };
    const { description, name = "", ...chat } = values;
    return kind === "chat" ? { kind, name, ...chat } : { kind, name, description };
  };
  const set = (part: string) => (event: Event) => {
    setValues({ ...values, [part]: (event.currentTarget as HTMLInputElement).value });
    setProblem("");
    setTried(null);
  };
  const run = async (work: () => Promise<void>) => {
    setBusy(true);
    setProblem("");
    try {
      await work();
    } catch (error) {
      setProblem((error as Error).message);
    }
    setBusy(false);
  };
  const tryIt = () =>
    run(async () => setTried(await postJson<Tried>("api/subjects/service/try", sent())));
  const add = () =>
    run(async () => {
      const named = values.name?.trim() ? { name: values.name } : {};
      const added =
        kind === "server"
          ? postJson<{ name: string }>("api/subjects/add", { path: source, ...named })
          : postJson<{ name: string }>("api/subjects/service/add", sent());
      onAdded((await added).name);
    });
  const text = (part: string, label: string, placeholder: string) => (
    <label class="field">
      {label}
      <input
        value={values[part] ?? ""}
        placeholder={placeholder}
        spellcheck={false}
        onInput={set(part)}
      />
    </label>
  );
  return (
    <section class="panel">
      <h3>A chat or HTTP service</h3>
      <label class="field">
        Kind
        <select
          value={kind}
          onChange={(event) => {
            setKind(event.currentTarget.value);
            setProblem("");
            setTried(null);
          }}
        >
          <option value="chat">Chat model, OpenAI-compatible</option>
          <option value="http">HTTP service</option>
          <option value="server">Language model on a server, for sentences too</option>
        </select>
      </label>
      {kind === "server" ? (
        <>
          {text("address", "Address", "http://127.0.0.1:8000/v1")}
          {text("model", "Model, as the server calls it", "my-model")}
          <p class="quiet">
            The server has to send the log-probabilities of a prompt, as vLLM and SGLang do.
          </p>
        </>
      ) : kind === "chat" ? (
        <>
          {text("address", "Address", "http://127.0.0.1:8080/v1")}
          <div class="two">
            {text("model", "Model", "local-chat")}
            {text("key_variable", "Environment variable that holds the key", "LAB_CHAT_KEY")}
          </div>
          <label class="field">
            In Rating it is asked to
            <select value={values.use} onChange={set("use")}>
              <option value="answer">rewrite a text</option>
              <option value="translate">translate</option>
            </select>
          </label>
          <p class="quiet">
            In Decisions it gets each case alone, without this instruction, at temperature 1; its
            log-probabilities are read where the server sends them.
          </p>
        </>
      ) : (
        <label class="field">
          Description in TOML; a key as {"{env:NAME}"}
          <textarea
            rows={9}
            spellcheck={false}
            value={values.description ?? ""}
            onInput={set("description")}
          />
        </label>
      )}
      {text("name", "Name", "lab-chat")}
      <p class="problem" role="alert">
        {problem}
      </p>
      {tried && (
        <p class={tried.problem ? "found amber" : "found"} data-testid="tried">
          {tried.problem ? (
            <>
              <strong>No reply.</strong> {tried.problem}
            </>
          ) : (
            <>
              <strong>It answers</strong> in {Math.round(1000 * tried.seconds)} ms: “{tried.reply}”
            </>
          )}
        </p>
      )}
      <p class="acts">
        <button type="button" class="button" disabled={busy} onClick={add}>
          {kind === "server" ? "Add model" : "Add service"}
        </button>
        <button type="button" class="button" disabled={busy} onClick={tryIt}>
          {busy ? "Waiting" : tried ? "Try it again" : "Try it"}
        </button>
        {tried && <small>A short test was sent to it.</small>}
      </p>
    </section>
  );
}

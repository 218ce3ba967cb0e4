import { useState } from "preact/hooks";
import { optionsOf, Segmented, Select } from "../../../lib/ui/Controls";
import { TextField } from "../../../lib/ui/TextField";
import { type Kept, useKept } from "../../../lib/word-lists/kept";
import type { Store, View } from "../store";

interface Props {
  store: Store;
  view: View;
  /** What was typed before; never the key. */
  kept: Kept;
  onDone: () => void;
}

type Kind = "toml" | "chat" | "compose";
const KINDS: { value: Kind; label: string }[] = [
  { value: "toml", label: "HTTP API" },
  { value: "chat", label: "Chat" },
  { value: "compose", label: "Two in a row" },
];

/** A service of one's own: an HTTP API, a chat endpoint, or two services in a row. */
export function Describe({ store, view, kept, onDone }: Props) {
  const [kind, setKind] = useKept<Kind>(kept, "kind", "toml");
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const send = async (name: string, args: Record<string, unknown>) => {
    setBusy(true);
    const reply = await store.ask(name, args);
    setBusy(false);
    if (!reply.ok) return setProblem(reply.message);
    store.notify(reply.message);
    onDone();
  };
  const common = { kept, busy, send };
  return (
    <div class="stack describe">
      <Segmented
        label="What it is"
        testid="describe"
        value={kind}
        options={KINDS}
        onChange={(to) => {
          setKind(to);
          setProblem("");
        }}
      />
      {kind === "toml" && <HttpForm {...common} />}
      {kind === "chat" && <ChatForm {...common} />}
      {kind === "compose" && <ComposeForm {...common} view={view} />}
      {problem && (
        <p class="bad" role="alert" data-testid="describe-problem">
          {problem}
        </p>
      )}
    </div>
  );
}

interface FormProps {
  kept: Kept;
  busy: boolean;
  send: (name: string, args: Record<string, unknown>) => Promise<void>;
}

const EXAMPLE = `name = "My translator"
version = "1"
pairs = [["en", "es"], ["es", "en"]]

[request]
url = "http://127.0.0.1:5000/translate"
headers = { Authorization = "Key {env:MY_KEY}" }
json = { q = "{text}", from = "{source}", to = "{target}" }

[answer]
path = "translatedText"`;

function HttpForm({ kept, busy, send }: FormProps) {
  const [toml, setToml] = useKept(kept, "toml", "");
  return (
    <form
      class="stack"
      autocomplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        void send("describe", { toml });
      }}
    >
      <label class="control">
        <span class="control-head">Description, as TOML</span>
        <textarea
          class="field toml"
          rows={12}
          spellcheck={false}
          placeholder={EXAMPLE}
          data-testid="toml"
          value={toml}
          onInput={(event) => setToml(event.currentTarget.value)}
        />
      </label>
      <p class="quiet">A key is named by its environment variable, so that it stands nowhere.</p>
      <Submit ready={toml.trim() !== "" && !busy} />
    </form>
  );
}

function ChatForm({ kept, busy, send }: FormProps) {
  const [name, setName] = useKept(kept, "name", "");
  const [base_url, setBase] = useKept(kept, "base_url", "");
  const [model, setModel] = useKept(kept, "model", "");
  const [key, setKey] = useState("");
  return (
    <form
      class="stack"
      autocomplete="off"
      onSubmit={(event) => {
        event.preventDefault();
        const args = { name: name.trim(), base_url: base_url.trim(), model: model.trim(), key };
        // It is on its way: nothing here holds it any longer.
        setKey("");
        void send("chat", args);
      }}
    >
      <TextField label="Model" testid="chat-model" value={model} onInput={setModel} />
      <TextField
        label="Base URL"
        testid="base-url"
        value={base_url}
        placeholder="that of OpenAI"
        onInput={setBase}
      />
      <TextField
        label="Name here"
        testid="chat-name"
        value={name}
        placeholder="the model’s"
        onInput={setName}
      />
      <TextField
        label="Key"
        testid="key"
        secret
        value={key}
        placeholder="if the address needs one"
        onInput={setKey}
      />
      <p class="quiet">The key is kept in memory only: it is stored nowhere, and no log has it.</p>
      <Submit ready={model.trim() !== "" && !busy} />
    </form>
  );
}

function ComposeForm({ kept, busy, send, view }: FormProps & { view: View }) {
  const names = view.services.map((service) => service.name);
  const [first, setFirst] = useKept(kept, "first", names[0] ?? "");
  const [second, setSecond] = useKept(kept, "second", names[1] ?? names[0] ?? "");
  const options = optionsOf(names);
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void send("compose", { first, second });
      }}
    >
      <Select
        label="First"
        testid="compose-first"
        value={first}
        options={options}
        onChange={setFirst}
      />
      <Select
        label="Second, gets what the first answers"
        testid="compose-second"
        value={second}
        options={options}
        onChange={setSecond}
      />
      <p class="quiet">Once both and the composite are run, its rating stands by its prediction.</p>
      <Submit ready={first !== "" && second !== "" && !busy} />
    </form>
  );
}

const Submit = ({ ready }: { ready: boolean }) => (
  <button type="submit" class="button primary" data-testid="describe-add" disabled={!ready}>
    Add the service
  </button>
);

import { useRef, useState } from "preact/hooks";
import { postJson } from "../lib/api";
import { hasOptions, ModelOptions, type Options } from "./ModelOptions";
import type { Inspected, Library } from "./records";
import { upload } from "./upload";

interface Props {
  library: Library;
  onAdded: (name: string) => void;
}

/** Where the subject lies: what the server takes beside its name. */
type Place = { path: string } | { upload: string };

/** Adds an embedding file by upload, or a file, folder or hub name by its path. */
export function AddFile({ library, onAdded }: Props) {
  const [path, setPath] = useState("");
  const [place, setPlace] = useState<Place | null>(null);
  const [info, setInfo] = useState<Inspected | null>(null);
  /** A name of the person's own stays when the path is corrected; so do the options. */
  const [typed, setTyped] = useState<string | null>(null);
  const [options, setOptions] = useState<Options>({});
  const [kind, setKind] = useState("");
  const [problem, setProblem] = useState("");
  const [share, setShare] = useState<number | null>(null);
  const stop = useRef<AbortController | null>(null);

  const look = async (where: Place) => {
    setInfo(null);
    setProblem("");
    try {
      const next = await postJson<Inspected>("api/subjects/inspect", where);
      setInfo(next);
      setPlace(where);
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  const send = async (file: File | undefined) => {
    if (!file) return;
    setInfo(null);
    setProblem("");
    if (file.size > library.largest_mb * 1e6) {
      setProblem(`${file.name} is larger than ${library.largest_mb} MB. Give its path instead.`);
      return;
    }
    stop.current = new AbortController();
    setShare(0);
    try {
      await look({ upload: await upload(file, setShare, stop.current.signal) });
    } catch (error) {
      const stopped = stop.current.signal.aborted;
      setProblem(stopped ? "The upload was stopped." : (error as Error).message);
    }
    setShare(null);
  };
  const add = async () => {
    try {
      const body = { ...place, name, kind, options: takesOptions ? options : {} };
      const added = await postJson<{ name: string }>("api/subjects/add", body);
      setInfo(null);
      setPath("");
      setTyped(null);
      setOptions({});
      setKind("");
      setProblem("");
      onAdded(added.name);
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  const changed = (text: string) => {
    setPath(text);
    setKind("");
    setInfo(null);
    setProblem("");
  };

  const name = typed ?? info?.name ?? "";
  const takesOptions = info !== null && hasOptions(info.kind) && !kind;
  const hasInput = info !== null && ["mlm", "clm"].includes(info.kind) && !path.startsWith("hf:");
  return (
    <section class="panel">
      <h3>A file, a folder or a hub name</h3>
      <label class="drop">
        <span>
          Drop an embedding here:
          <b>.txt .vec .bin .npz .safetensors, also .gz</b>
        </span>
        <span class="button">Choose file</span>
        <input
          type="file"
          aria-label="Choose an embedding file"
          onChange={(event) => {
            const file = event.currentTarget.files?.[0];
            // The same file can be chosen again, after it was corrected.
            event.currentTarget.value = "";
            send(file);
          }}
        />
      </label>
      {share !== null && (
        <p class="sending">
          <progress value={share} max={1} aria-label="Upload" /> {Math.round(100 * share)} %
          <button type="button" class="button plain" onClick={() => stop.current?.abort()}>
            Stop
          </button>
        </p>
      )}
      {library.local && (
        <label class="field">
          Path of a file or folder{library.hub && ", or hf:NAME"}
          <input
            value={path}
            placeholder="~/models/my-bert"
            spellcheck={false}
            aria-invalid={problem !== ""}
            aria-describedby="add-problem"
            onInput={(event) => changed(event.currentTarget.value)}
            onBlur={() => path.trim() && !info && look({ path })}
            onKeyDown={(event) => event.key === "Enter" && look({ path })}
          />
        </label>
      )}
      <p id="add-problem" class="problem" role="alert">
        {problem}
      </p>
      {info && (
        <>
          <p class="found" data-testid="found">
            <strong>{info.summary}</strong> {!kind && fitsIn(info.fits)}
          </p>
          <label class="field">
            Name
            <input value={name} onInput={(event) => setTyped(event.currentTarget.value)} />
          </label>
          {hasInput && (
            <label class="field">
              Open as
              <select value={kind} onChange={(event) => setKind(event.currentTarget.value)}>
                <option value="">the model</option>
                <option value="embedding">word vectors: its input embeddings</option>
              </select>
            </label>
          )}
          {takesOptions && (
            <ModelOptions kind={info.kind} options={options} onChange={setOptions} />
          )}
        </>
      )}
      <p class="acts">
        <button
          type="button"
          class={`button ${info ? "primary" : ""}`}
          disabled={!info || !name.trim()}
          onClick={add}
        >
          {info ? `Add ${name}` : "Add"}
        </button>
        <small>
          {library.hub
            ? "Names on the Hugging Face hub (hf:NAME) can be added, too."
            : "Names on the Hugging Face hub are off here: biaslab serve --allow-hub turns them on."}
        </small>
      </p>
    </section>
  );
}

const fitsIn = (benches: readonly string[]): string =>
  benches.length ? `Fits ${list(benches)}.` : "No bench asks it; use it in Python.";

const list = (names: readonly string[]): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;

/** How a model is opened; empty for what is left to its default. */
export interface Options {
  device?: string;
  dtype?: string;
  quantize?: string;
  attention?: string;
  revision?: string;
  template?: string;
}

type Choice = readonly [value: string, label: string];

const PRECISIONS: readonly Choice[] = [
  ["", "default"],
  ["float32", "32 bits"],
  ["bfloat16", "16 bits (bfloat16)"],
  ["float16", "16 bits (float16)"],
];
const WEIGHTS: readonly Choice[] = [
  ["", "as stored"],
  ["8bit", "8 bits, on a GPU"],
  ["4bit", "4 bits, on a GPU"],
];
const DEVICES: readonly Choice[] = [
  ["", "the GPU if there is one"],
  ["cpu", "processor"],
  ["auto", "all GPUs and main memory"],
];
const ATTENTIONS: readonly Choice[] = [
  ["", "that of transformers"],
  ["sdpa", "sdpa"],
  ["eager", "eager"],
  ["flash_attention_2", "flash attention 2"],
];
const TEMPLATES: readonly Choice[] = [
  ["", "automatic"],
  ["plain", "plain text"],
  ["chat", "chat"],
  ["chat without system prompt", "chat without system prompt"],
];
const KINDS = ["encoder", "classifier", "mlm", "clm", "vlm"];

/** Whether a kind of subject is a model that can be opened in more than one way. */
export const hasOptions = (kind: string): boolean => KINDS.includes(kind);

interface Props {
  kind: string;
  options: Options;
  onChange: (options: Options) => void;
}

/** Precision, device and version of a model that is added. */
export function ModelOptions({ kind, options, onChange }: Props) {
  const choose = (name: keyof Options, label: string, choices: readonly Choice[]) => (
    <label class="field">
      {label}
      <select
        value={options[name] ?? ""}
        onChange={(event) => onChange({ ...options, [name]: event.currentTarget.value })}
      >
        {choices.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
  return (
    <details>
      <summary>How it is opened</summary>
      {choose("device", "Device", DEVICES)}
      {choose("dtype", "Precision of the computation", PRECISIONS)}
      {choose("quantize", "Weights", WEIGHTS)}
      {choose("attention", "Attention", ATTENTIONS)}
      {kind === "clm" && choose("template", "Template of a text", TEMPLATES)}
      <label class="field">
        Revision, for a model of the hub
        <input
          value={options.revision ?? ""}
          placeholder="the newest"
          spellcheck={false}
          onInput={(event) => onChange({ ...options, revision: event.currentTarget.value })}
        />
      </label>
    </details>
  );
}

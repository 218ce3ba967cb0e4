interface Props {
  text: string;
  testid: string;
  accept?: string;
  several?: boolean;
  /** Asks for a folder, with all that is in it. */
  folder?: boolean;
  onPick: (files: File[]) => void;
}

/** A button that asks for files. */
export function FileButton({ text, testid, accept, several, folder, onPick }: Props) {
  return (
    <label class="button file">
      {text}
      <input
        type="file"
        class="visually-hidden"
        accept={accept}
        multiple={several}
        data-testid={testid}
        {...(folder && { webkitdirectory: true })}
        onChange={(event) => {
          const field = event.currentTarget;
          const files = [...(field.files ?? [])];
          // The same file can be chosen again.
          field.value = "";
          onPick(files);
        }}
      />
    </label>
  );
}

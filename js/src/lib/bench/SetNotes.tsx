interface Props {
  problems: readonly string[];
  notes: readonly string[];
}

/** What a person should know of what is tested, and what went wrong on the way. */
export function SetNotes({ problems, notes }: Props) {
  if (problems.length + notes.length === 0) return null;
  return (
    <ul class="set-notes" data-testid="notes">
      {problems.map((text) => (
        <li key={text} class="warn-text">
          {text}
        </li>
      ))}
      {notes.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  );
}

import { useLayoutEffect, useState } from "preact/hooks";
import type { ImageRow } from "../../../generated/images";
import { useUid } from "../../../lib/uid";
import type { Store, View } from "../store";
import { placeText } from "../texts";

interface Props {
  store: Store;
  view: View;
  image: ImageRow | undefined;
  onRemove: (image: string) => void;
  onBack: () => void;
}

/** The picture that is looked at, with its description, which can be changed. Its room is reserved. */
export function PictureCard({ store, view, image, onRemove, onBack }: Props) {
  if (!image)
    return (
      <p class="picture-card quiet">
        Press a picture, or use the arrow keys, to see it with its description. Del removes it.
      </p>
    );
  const detail = view.detail.id === image.id ? view.detail : null;
  const source = view.images.sources[image.source];
  const about = detail?.about ?? [source, image.remark].filter(Boolean);
  return (
    <section class="picture-card" aria-label="Picture" data-testid="picture-card">
      <Portrait address={detail?.picture ?? store.pictures.get(image.id)} alt={image.alt} />
      <div class="stack rest">
        <b class="t13" data-testid="picture-place">
          {placeText(view.images, image)}
        </b>
        <Alt key={image.id} store={store} image={image} onBack={onBack} />
        <ul class="set-notes">
          {about.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
        <span>
          <button
            type="button"
            class="button"
            data-testid="remove"
            onClick={() => onRemove(image.id)}
          >
            Remove
          </button>
        </span>
      </div>
    </section>
  );
}

/** A picture in a frame that is there before it. */
export function Portrait({ address, alt }: { address: string | undefined; alt: string }) {
  return <div class="portrait">{address && <img src={address} alt={alt} draggable={false} />}</div>;
}

interface AltProps {
  store: Store;
  image: ImageRow;
  onBack: () => void;
}

/** The description for people who do not see the picture: Enter saves, Esc leaves it. */
function Alt({ store, image, onBack }: AltProps) {
  const id = useUid();
  const [text, setText] = useState(image.alt);
  useLayoutEffect(() => setText(image.alt), [image.alt]);
  const save = (now: string) => {
    const clean = now.replace(/\s+/g, " ").trim();
    if (clean !== image.alt) void store.command("describe", { id: image.id, text: clean });
  };
  return (
    <div class="control">
      <label for={id} class="quiet">
        Description, for people who do not see it
      </label>
      <textarea
        id={id}
        class="field"
        rows={2}
        maxLength={1000}
        data-testid="alt-text"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onBlur={(event) => save(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") {
            event.currentTarget.value = image.alt;
            setText(image.alt);
          } else if (event.key !== "Enter" || event.isComposing) return;
          // Leaving the field saves.
          event.preventDefault();
          event.stopPropagation();
          onBack();
        }}
      />
    </div>
  );
}

import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { many } from "../../../lib/format";
import { useWidth } from "../../../lib/hooks";
import { memo } from "../../../lib/memo";
import { Windowed } from "../../../lib/ui/Windowed";
import { useUid } from "../../../lib/uid";
import { imageOf, type Store, type View } from "../store";
import { placeText } from "../texts";
import { upload } from "./files";
import { type Item, itemsOf, type Line, pictureKey, type Which } from "./listing";
import { PictureCard } from "./PictureCard";

interface Props {
  store: Store;
  view: View;
  which: Which;
  search: string;
}

const TALL = 520;
const HEAD = 36;
/** From one picture to the next. */
const PITCH = 62;

/**
 * All pictures by term, however many: one Tab stop, arrows inside, Enter describes, Del removes,
 * with Shift all of its term.
 */
export function Gallery({ store, view, which, search }: Props) {
  const { images } = view;
  const id = useUid();
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box, 900);
  const perLine = Math.max(3, Math.floor((width - 28) / PITCH));
  const items = useMemo(
    () => itemsOf(images, which, search, perLine),
    [images, which, search, perLine],
  );
  const [over, setOver] = useState<number | null>(null);
  const held = view.held?.id ?? "";
  const active = items.find((i) => i.kind === "line" && i.images.some((one) => one.id === held));
  const now = active ? held : "";

  // The same function each time, so that lines that have not changed are not drawn again.
  const [pick] = useState(
    () => (image: string) => store.point({ id: image, model: store.view.inputs.models[0] ?? "" }),
  );
  const remove = (image: string) => {
    const after = pictureKey("ArrowRight", image, items);
    const next = after !== image ? after : pictureKey("ArrowLeft", image, items);
    void store.remove([image]);
    if (next && next !== image) pick(next);
  };
  const removeTerm = (image: string) => {
    const term = imageOf(store.view, image)?.term ?? -1;
    if (images.terms[term]) void store.removeTerm(term);
  };
  const key = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.altKey) return;
    // Keys can come faster than the list is drawn: they go on from where the last one led.
    const now = store.view.held?.id ?? "";
    if (event.ctrlKey || event.metaKey) {
      if (event.key.toLowerCase() !== "z" || view.undoable.length === 0) return;
      void store.restore(view.undoable);
    } else {
      const to = pictureKey(event.key, now, items);
      if (to) pick(to);
      else if (!now) return;
      else if (event.key === "Enter" || event.key === "F2")
        box.current?.querySelector<HTMLElement>("[data-testid=alt-text]")?.focus();
      else if (event.key === "Delete" && event.shiftKey) removeTerm(now);
      else if (event.key === "Delete" || event.key === "Backspace") remove(now);
      else return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  const termAt = (event: DragEvent) => {
    const at = (event.target as Element).closest<HTMLElement>("[data-term]")?.dataset.term;
    return at === undefined || Number(at) < 0 ? null : Number(at);
  };
  const files = (event: DragEvent) => event.dataTransfer?.types.includes("Files");
  if (items.length === 0)
    return (
      <p class="nothing" data-testid="no-pictures">
        {search || which !== "all"
          ? "No picture is like this."
          : "No picture yet. Draw some portraits: that needs no key and no network."}
      </p>
    );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: files are dropped; keys have Upload
    <div
      ref={box}
      class="gallery"
      onDragOver={(event) => {
        if (!files(event)) return;
        event.preventDefault();
        setOver(termAt(event));
      }}
      onDragLeave={(event) => {
        if (!box.current?.contains(event.relatedTarget as Node | null)) setOver(null);
      }}
      onDrop={(event) => {
        if (!files(event)) return;
        event.preventDefault();
        const term = termAt(event);
        setOver(null);
        const name = term === null ? undefined : images.terms[term]?.name;
        if (!name) return store.notify("Drop pictures on the term that they show.", false);
        void upload(store, name, [...(event.dataTransfer?.files ?? [])]);
      }}
    >
      <Windowed<Item>
        items={items}
        id={(item) => item.key}
        estimate={(item) => (item.kind === "head" ? HEAD : PITCH)}
        tall={TALL}
        active={active?.key}
        attributes={
          {
            class: "pictures",
            role: "grid",
            tabIndex: 0,
            "aria-label":
              "Pictures by term: Enter describes, Delete removes, with Shift all of its term",
            "aria-activedescendant": now ? `${id}-${now}` : undefined,
            "data-testid": "pictures",
            onKeyDown: key,
            onFocus: (event: FocusEvent) => {
              const first = pictureKey("Home", "", items);
              if (event.target === event.currentTarget && !now && first) pick(first);
            },
          } as Record<string, unknown>
        }
      >
        {(item) => {
          if (item.kind === "head")
            return <HeadLine store={store} view={view} item={item} over={over === item.term} />;
          return (
            <Thumbs
              store={store}
              line={item}
              id={id}
              now={item === active ? now : ""}
              over={over === item.term}
              thumbs={view.thumbs}
              onPick={pick}
            />
          );
        }}
      </Windowed>
      <PictureCard
        store={store}
        view={view}
        image={imageOf(view, now)}
        onRemove={remove}
        onBack={() => box.current?.querySelector<HTMLElement>(".pictures")?.focus()}
      />
    </div>
  );
}

interface HeadProps {
  store: Store;
  view: View;
  item: Item & { kind: "head" };
  over: boolean;
}

function HeadLine({ store, view, item, over }: HeadProps) {
  const { terms } = view.images;
  const term = terms[item.term];
  const groups = view.inputs.lists.filter((l) => l.kind === "groups");
  const shown = item.shown === term?.count ? "" : `${item.shown} of `;
  return (
    <div role="row">
      <div
        role="gridcell"
        class={`term-head wrap-row ${over ? "over" : ""}`}
        data-testid="term-head"
        data-term={item.term}
        data-name={term?.name}
        data-count={term?.count}
      >
        <b class="bold">{term?.name ?? "Pictures of other terms"}</b>
        {term && <span class="quiet">{shown + many(term.count, "picture")}</span>}
        {term && groups.length > 1 && (
          <span class={term.group === 1 ? "g2" : "g1"}>{groups[term.group]?.name}</span>
        )}
        {/* What is being drawn is not missing. */}
        {term?.remark && view.making.total === 0 && <span class="warn-text">{term.remark}</span>}
        {term && (
          <span class="push">
            {term.saved > 0 && (
              <button
                type="button"
                class="button plain"
                tabIndex={-1}
                onClick={() => void store.command("saved", { terms: [term.name] })}
              >
                Add {many(term.saved, "kept one")}
              </button>
            )}
            {term.count > 0 && (
              <button
                type="button"
                class="button plain"
                tabIndex={-1}
                data-testid="remove-term"
                onClick={() => void store.removeTerm(item.term)}
              >
                Remove all
              </button>
            )}
          </span>
        )}
      </div>
    </div>
  );
}

interface ThumbsProps {
  store: Store;
  line: Line;
  id: string;
  now: string;
  over: boolean;
  /** Counts up when small pictures come. */
  thumbs: number;
  onPick: (image: string) => void;
}

const Thumbs = memo(function Thumbs({ store, line, id, now, over, onPick }: ThumbsProps) {
  useLayoutEffect(() => store.want(line.images.map((image) => image.id)), [line]);
  return (
    <div class={`thumbs ${over ? "over" : ""}`} data-term={line.term} role="row">
      {line.images.map((image) => {
        const address = store.pictures.get(image.id);
        return (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the list takes the keys
          <div
            key={image.id}
            id={`${id}-${image.id}`}
            class={`thumb ${image.remark ? "remarked" : ""}`}
            role="gridcell"
            tabIndex={-1}
            aria-selected={image.id === now}
            aria-label={`${placeText(store.view.images, image)}: ${image.alt}`}
            title={image.remark || undefined}
            data-testid="picture"
            data-image={image.id}
            onClick={() => onPick(image.id)}
          >
            {address && <img src={address} alt="" draggable={false} />}
            {address === "" && <span class="gone">?</span>}
          </div>
        );
      })}
    </div>
  );
});

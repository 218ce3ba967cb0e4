import { many, whole } from "../../../lib/format";
import { Material } from "../../../lib/three-steps/Material";
import { imageOf, type Store, type View } from "../store";
import { countText } from "../texts";
import { Gallery } from "./Gallery";
import type { Which } from "./listing";
import { Sources } from "./Sources";

/** Step 2: the pictures that are asked about, where they come from, and what is not used. */
export function Pictures({ store, view }: { store: Store; view: View }) {
  const { images: all, sources, notes, problems, rejected } = view.images;
  const own = all.filter((image) => sources[image.source] !== "drawn").length;
  return (
    <Material<Which>
      store={store}
      view={view}
      thing="picture"
      notes={{ problems, notes }}
      which={[
        { value: "all", label: `All ${whole(all.length)}` },
        { value: "own", label: `Not drawn ${whole(own)}` },
        { value: "remark", label: `Remarks ${whole(all.filter((i) => i.remark).length)}` },
      ]}
      search={{ label: "Search pictures by what they show", hint: "descriptions" }}
      count={countText(view.images)}
      isUsed={(id) => imageOf(view, id) !== undefined}
      away="remove"
      rejected={{
        rows: rejected.map(({ id, name, term, reason }) => ({
          id,
          reason,
          text: term ? `${name} (${term})` : name,
        })),
        title: `${many(rejected.length, "picture is", "pictures are")} not used, with reasons`,
      }}
      sources={<Sources store={store} view={view} />}
    >
      {(which, search) => <Gallery store={store} view={view} which={which} search={search} />}
    </Material>
  );
}

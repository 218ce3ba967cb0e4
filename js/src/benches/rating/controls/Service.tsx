import { useState } from "preact/hooks";
import type { ServiceOption } from "../../../generated/rating";
import { gridKey } from "../../../lib/keys";
import { Disclosure } from "../../../lib/ui/Disclosure";
import { Chevron } from "../../../lib/ui/Icons";
import { SearchField } from "../../../lib/ui/SearchField";
import { useUid } from "../../../lib/uid";
import type { Kept } from "../../../lib/word-lists/kept";
import { type Store, serviceOf, type View } from "../store";
import { Describe } from "./Describe";

interface Props {
  store: Store;
  view: View;
}

/** Who is asked: one of those that are offered, or one that is described here. */
export function Service({ store, view }: Props) {
  const [kept] = useState<Kept>(() => new Map());
  const service = serviceOf(view);
  return (
    <div class="control service-control">
      <div class="control-head">Service</div>
      <Disclosure
        label="Services"
        text={
          <>
            <span class="select-text ellipsis" title={service?.name}>
              {service?.name ?? (view.inputs.service || "Choose…")}
            </span>
            <Chevron />
          </>
        }
        testid="service"
        look="field select-button"
        class="card wide-card"
      >
        {(close) => <ServiceCard store={store} view={view} kept={kept} onDone={close} />}
      </Disclosure>
    </div>
  );
}

interface CardProps extends Props {
  kept: Kept;
  onDone: () => void;
}

function ServiceCard({ store, view, kept, onDone }: CardProps) {
  const [describing, setDescribing] = useState(kept.get("open") === true);
  const open = (to: boolean) => {
    kept.set("open", to);
    setDescribing(to);
  };
  if (describing)
    return (
      <div class="stack">
        <button type="button" class="link back" onClick={() => open(false)}>
          ← All services
        </button>
        <Describe
          store={store}
          view={view}
          kept={kept}
          onDone={() => {
            open(false);
            onDone();
          }}
        />
      </div>
    );
  return (
    <div class="stack">
      <ServiceList store={store} view={view} onDone={onDone} />
      <button type="button" class="button" data-testid="describe-open" onClick={() => open(true)}>
        Describe a service…
      </button>
    </div>
  );
}

function fits(service: Pick<ServiceOption, "name" | "about" | "kind">, search: string): boolean {
  const text = `${service.name} ${service.about} ${service.kind}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

function ServiceList({ store, view, onDone }: Props & { onDone: () => void }) {
  const id = useUid();
  const [search, setSearch] = useState("");
  const matching = view.services.filter((service) => fits(service, search.trim()));
  const first = Math.max(
    0,
    matching.findIndex((one) => one.name === view.inputs.service),
  );
  const [active, setActive] = useState(first);
  const at = Math.min(active, matching.length - 1);
  const choose = (service: ServiceOption | undefined) => {
    if (!service) return;
    // Python chooses of its languages: those of a service that starts now are not known here.
    store.set({ service: service.name, language: "" });
    onDone();
  };
  const key = (event: KeyboardEvent) => {
    const text = (event.target as HTMLElement).tagName === "INPUT";
    if (event.key === "Enter") choose(matching[at]);
    else {
      if (text && (event.key === "Home" || event.key === "End" || /Left|Right/.test(event.key)))
        return;
      const to = gridKey(event.key, at, matching.length, 1);
      if (to === null) return;
      setActive(to);
      document.getElementById(`${id}-${to}`)?.scrollIntoView?.({ block: "nearest" });
    }
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the field lead through the list
    <div class="stack" onKeyDown={key}>
      <SearchField
        label="Search services"
        testid="service-search"
        hint="services"
        value={search}
        onInput={(text) => {
          setSearch(text);
          setActive(0);
        }}
      />
      <div
        class="service-list"
        role="grid"
        tabIndex={0}
        aria-label="Services"
        aria-activedescendant={matching[at] ? `${id}-${at}` : undefined}
        data-testid="services"
      >
        {matching.map((service, i) => (
          <div key={service.name} class="service-line in-line" role="row">
            {/* biome-ignore lint/a11y/useKeyWithClickEvents: the list has the keys */}
            <div
              id={`${id}-${i}`}
              role="gridcell"
              tabIndex={-1}
              class={`service ${i === at ? "active" : ""}`}
              aria-selected={service.name === view.inputs.service}
              data-testid={`service-${service.name}`}
              onClick={() => choose(service)}
            >
              <b>{service.name}</b> <span class="quiet">{service.kind}</span>
              <small>{service.problem || service.about}</small>
              {service.truth && <small>True rating: {service.truth}</small>}
            </div>
            {service.own && (
              <span role="gridcell">
                <button
                  type="button"
                  class="link"
                  aria-label={`Remove ${service.name}`}
                  data-testid={`remove-${service.name}`}
                  onClick={() => void store.command("remove-service", { name: service.name })}
                >
                  Remove
                </button>
              </span>
            )}
          </div>
        ))}
        {view.misfits
          .filter((misfit) => fits({ ...misfit, about: misfit.reason, kind: misfit.what }, search))
          .map(({ name, what, reason }) => (
            <div key={name} class="service-line in-line misfit" role="row">
              <div class="service" role="gridcell" tabIndex={-1} aria-disabled="true">
                <b>{name}</b> {what}
                <small>{reason}</small>
              </div>
            </div>
          ))}
      </div>
      {matching.length === 0 && <p class="quiet">No service is called so.</p>}
    </div>
  );
}

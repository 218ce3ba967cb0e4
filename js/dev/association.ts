/** The dev page of the association bench; the address chooses what is shown: association.html. */
import bench from "../src/benches/association";
import type { AssociationBenchState } from "../src/generated/association";
import { recorded } from "./recorded";
import scenarios from "./recorded/association.json";
import { mount, recordedModel } from "./shown";

mount(bench, () => recordedModel(recorded<AssociationBenchState>(scenarios)));

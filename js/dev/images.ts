/** The dev page of the image bench; the address chooses what is shown: images.html. */
import bench from "../src/benches/images";
import type { ImageBenchState } from "../src/generated/images";
import { recorded } from "./recorded";
import scenarios from "./recorded/images.json";
import { mount, recordedModel } from "./shown";

mount(bench, () => recordedModel(recorded<ImageBenchState>(scenarios)));

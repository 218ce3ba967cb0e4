import { fit } from "../../../lib/textwidth";
import { useUid } from "../../../lib/uid";
import { At } from "../Panel";
import type { View } from "../store";
import { RUNNING_HEIGHT, RunningBody, SHARES_HEIGHT, SharesFigure } from "./Charts";
import { sideOf } from "./Faces";
import { type Face, portraitsOf, shareText, spotOf } from "./portraits";
import { ShiftsBody, shiftsHeight } from "./Shifts";

const [WIDTH, GAP] = [920, 32];
const HALF = (WIDTH - GAP) / 2;
/** In a row of a gallery, and of a chain. */
const [IN_GALLERY, IN_FILM] = [8, 12];
const [TITLE, BETWEEN, LARGE_GAP, UNDER] = [24, 4, 12, 36];

/** The whole picture for taking along: portraits, shares, chains and shifts. */
export function Figure({ view }: { view: View }) {
  const portraits = portraitsOf(view);
  const { sheets } = view;
  const id = useUid();
  const { typical, galleries, chains, neutral } = portraits;
  const large = (HALF - LARGE_GAP * (typical.length - 1)) / Math.max(1, typical.length);
  const tile = HALF / IN_GALLERY;
  const film = HALF / IN_FILM;
  let y = 0;
  const grids = galleries.map(({ title, note, faces }) => {
    const grid = { title, note, faces, y: y + TITLE };
    y += TITLE + tile * Math.ceil(faces.length / IN_GALLERY) + 10;
    return grid;
  });
  const left = TITLE + large + UNDER + TITLE + SHARES_HEIGHT;
  const lower = Math.max(y, left) + 16;
  const films = TITLE + film * chains.length + TITLE;
  const height =
    lower + TITLE + Math.max(films + RUNNING_HEIGHT, shiftsHeight(portraits, false)) + 8;
  const draw = (faces: readonly Face[], columns: number, size: number, y: number) =>
    faces.map((face, i) => (
      <FaceMark
        key={face.place}
        face={face}
        sheet={`#${id}-small`}
        columns={sheets.columns}
        x={(i % columns) * size}
        y={y + Math.floor(i / columns) * size}
        size={size - BETWEEN}
      />
    ));
  return (
    <svg class="drawing" width={WIDTH} height={height}>
      <defs>
        <image
          id={`${id}-small`}
          href={sheets.small}
          width={sheets.columns}
          height={sheets.rows}
          preserveAspectRatio="none"
        />
        <image
          id={`${id}-large`}
          href={sheets.large}
          width={sheets.large_columns}
          height={1}
          preserveAspectRatio="none"
        />
      </defs>
      {typical.map((one, i) => (
        <At key={one.word} x={i * (large + LARGE_GAP)}>
          <text class="t12 bold" y={13}>
            {fit(one.name, 12, large, true)}
          </text>
          <text class={`t12 bold f${sideOf(one, neutral)}`} y={TITLE + large + 16}>
            {shareText(one.share)}
          </text>
          <Part sheet={`#${id}-large`} column={one.place} row={0} x={0} y={TITLE} size={large} />
        </At>
      ))}
      <At y={TITLE + large + UNDER}>
        <Title text="drawn as women, %, by how often in a row it must say the word" />
        <At y={TITLE}>
          <SharesFigure portraits={portraits} width={HALF} />
        </At>
      </At>
      <At x={HALF + GAP}>
        {grids.map(({ title, note, faces, y }) => (
          <g key={title}>
            <At y={y - TITLE}>
              <Title text={`${title}, ${note}`} />
            </At>
            {draw(faces, IN_GALLERY, tile, y)}
          </g>
        ))}
      </At>
      <At y={lower}>
        <Title text={`Chains of “${portraits.words[0] ?? ""}”`} />
        {chains.map(({ warmup, kept }, i) => (
          <g key={i}>{draw([...warmup, ...kept], IN_FILM, film, TITLE + i * film)}</g>
        ))}
        <At y={films}>
          <RunningBody portraits={portraits} width={HALF} />
        </At>
      </At>
      <At x={HALF + GAP} y={lower}>
        <Title text="What changes from all portraits" />
        <At y={TITLE}>
          <ShiftsBody portraits={portraits} width={HALF} all={false} />
        </At>
      </At>
    </svg>
  );
}

const Title = ({ text }: { text: string }) => (
  <text class="t12 bold" y={13}>
    {fit(text, 12, HALF, true)}
  </text>
);

interface PartProps {
  sheet: string;
  column: number;
  row: number;
  x: number;
  y: number;
  size: number;
}

/** One portrait of a sheet, whose portraits are one unit wide. */
const Part = ({ sheet, column, row, size, ...at }: PartProps) => (
  <svg {...at} width={size} height={size} viewBox={`${column} ${row} 1 1`} overflow="hidden">
    <use href={sheet} />
  </svg>
);

interface MarkProps extends Pick<PartProps, "sheet" | "x" | "y" | "size"> {
  face: Face;
  columns: number;
}

function FaceMark({ face, columns, ...rest }: MarkProps) {
  const { x, y, size } = rest;
  const [column, row] = spotOf(face.place, columns);
  const side = size / 6;
  const corner = { x: x + size - side, y: y + size - side, width: side, height: side };
  return (
    <g>
      <Part column={column} row={row} {...rest} />
      <rect class={face.woman ? "who-1" : "who-2"} rx={face.woman ? side / 2 : 0} {...corner} />
    </g>
  );
}

import { fieldLabel } from './rule-label.ts'

/** What is other in one field: lines that go, and lines that come. */
export type Change = { field: string; removed: string[]; added: string[] }

/** What goes and what comes, a line each. The signs tell it without colours. */
export function Difference({ changes }: { changes: Change[] }) {
  return (
    <dl class="difference">
      {changes.map(({ field, removed, added }) => (
        <div key={field}>
          <dt class="dim">{fieldLabel(field)}</dt>
          {removed.map((line) => (
            <dd key={`- ${line}`}>
              <del>− {line}</del>
            </dd>
          ))}
          {added.map((line) => (
            <dd key={`+ ${line}`}>
              <ins>+ {line}</ins>
            </dd>
          ))}
        </div>
      ))}
    </dl>
  )
}

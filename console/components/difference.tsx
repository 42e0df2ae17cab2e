import { nameOf } from './rule-label.ts'

/** What is other in one field: lines that go, and lines that come. */
export type Change = { field: string; gone: string[]; come: string[] }

/** What goes and what comes, a line each. The signs tell it without colours. */
export function Difference({ changes }: { changes: Change[] }) {
  return (
    <dl class="difference">
      {changes.map(({ field, gone, come }) => (
        <div key={field}>
          <dt class="dim">{nameOf(field)}</dt>
          {gone.map((line) => (
            <dd key={`- ${line}`}>
              <del>− {line}</del>
            </dd>
          ))}
          {come.map((line) => (
            <dd key={`+ ${line}`}>
              <ins>+ {line}</ins>
            </dd>
          ))}
        </div>
      ))}
    </dl>
  )
}

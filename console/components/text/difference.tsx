import { fieldLabel } from '../policy/rule-label.ts'

/** A changed field, with its removed and added lines. */
export type Change = { field: string; removed: string[]; added: string[] }

/** Lists removed and added lines, marked by sign and colour. */
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

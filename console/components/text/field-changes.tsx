import { fieldLabel } from '../policy/rule-label.ts'

/** A changed field, with its removed and added lines. */
export type Change = { field: string; removed: string[]; added: string[] }

/** The removed and added lines of each changed field, marked by sign and colour. `Diff` shows the diff of a file. */
export function FieldChanges({ changes }: { changes: Change[] }) {
  return (
    <dl class="difference">
      {changes.map(({ field, removed, added }) => (
        <div key={field}>
          <dt class="dim">{fieldLabel(field)}</dt>
          {removed.map((line, index) => (
            <dd key={index}>
              <del>− {line}</del>
            </dd>
          ))}
          {added.map((line, index) => (
            <dd key={index}>
              <ins>+ {line}</ins>
            </dd>
          ))}
        </div>
      ))}
    </dl>
  )
}

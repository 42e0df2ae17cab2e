import type { PresetVersion } from '../api/types.ts'
import { compareFields } from './compared-fields.ts'

/** The fields of a version, with removed and added lines compared to another version. */
export function VersionFields({ before, after }: { before: PresetVersion; after: PresetVersion }) {
  return (
    <dl class="preset-fields">
      {compareFields(before, after).map(({ field, before, after }) => (
        <div key={field}>
          <dt class="dim">{field}</dt>
          {before !== after && before !== undefined && (
            <dd>
              <del>− {before}</del>
            </dd>
          )}
          {after !== undefined && <dd>{before === after ? after : <ins>+ {after}</ins>}</dd>}
        </div>
      ))}
    </dl>
  )
}

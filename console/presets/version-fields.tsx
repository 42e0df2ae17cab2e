import type { PresetVersion } from '../api/types.ts'
import { differencesBetween } from './version-differences.ts'

/** The fields of a version, with removed and added lines compared to another version. */
export function VersionFields({ before, after }: { before: PresetVersion; after: PresetVersion }) {
  return (
    <dl class="preset-fields">
      {differencesBetween(before, after).map(({ field, was, is }) => (
        <div key={field}>
          <dt class="dim">{field}</dt>
          {was !== is && was !== undefined && (
            <dd>
              <del>− {was}</del>
            </dd>
          )}
          {is !== undefined && <dd>{was === is ? is : <ins>+ {is}</ins>}</dd>}
        </div>
      ))}
    </dl>
  )
}

import type { PresetVersion } from '../api/types.ts'
import { Conflict } from '../components/form/conflict.tsx'
import { changesBetween } from './config-fields.ts'
import type { PresetDraft } from './use-preset-draft.ts'

/** Shows the version that somebody else saved or designated while the draft was edited. */
export function VersionConflict({ draft, storedVersion }: { draft: PresetDraft; storedVersion: PresetVersion }) {
  return (
    <Conflict
      name="The preset"
      note={`: version ${storedVersion.version}`}
      changes={changesBetween(draft.base.version, storedVersion)}
      onMerge={draft.merge}
      onIgnore={draft.ignoreConflict}
    />
  )
}

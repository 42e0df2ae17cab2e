import type { PresetVersion } from '../api/types.ts'
import { Conflict } from '../components/form/conflict.tsx'
import { changesBetween } from './config-fields.ts'
import type { PresetDraft } from './use-preset-draft.ts'

/** Shows the version that somebody else saved or designated while the draft was edited. */
export function VersionConflict({ draft, storedVersion }: { draft: PresetDraft; storedVersion: PresetVersion }) {
  return (
    <Conflict
      title={`The preset has changed since you started: version ${storedVersion.version}`}
      changes={changesBetween(draft.base.version, storedVersion)}
      merge={draft.merge}
      ignore={draft.ignoreConflict}
    />
  )
}

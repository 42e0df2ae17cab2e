import { etagOf } from '../api/client.ts'
import type { PresetVersion, PresetWithVersion } from '../api/types.ts'
import { useDraft } from '../components/form/drafts.ts'
import {
  changesBetween,
  type Entries,
  entriesOf,
  merge,
  type Problems,
  parseEntries,
  type Version,
} from './config-fields.ts'

const emptyVersion: Version = { system_prompt: null, config: {} }

/** The start of the draft. */
type Base = {
  /** The preset as it was read. */
  preset: PresetWithVersion | undefined
  /** The version that the draft changes, and its number; an empty version without a number for a new preset. */
  version: Version
  number: number | undefined
  /** The number of the newest version at the start. */
  newest: number
}
type DraftState = { base: Base; entries: Entries }

export type PresetDraft = {
  entries: Entries
  version: Version
  problems: Problems
  base: Base
  isChanged: boolean
  /** The version that somebody else saved or designated since the draft was started. */
  conflict: PresetVersion | undefined
  setField: (name: string, text: string) => void
  /** Continues on top of the version of the conflict. Fields that the draft changed keep its values. */
  merge: () => void
  /** Continues without the changes of the others. */
  ignoreConflict: () => void
  discard: () => void
}

/** The unsaved version of a preset. @param start the version that a new draft changes. */
export function usePresetDraft(
  slug: string,
  preset: PresetWithVersion | undefined,
  versions: PresetVersion[],
  start: PresetVersion | undefined,
): PresetDraft {
  const [draft, setDraft] = useDraft<DraftState>(`preset ${slug}`)
  const newest = versions.at(-1)
  const newestBase: Base = {
    preset,
    number: start?.version,
    version: start ?? emptyVersion,
    newest: newest?.version ?? 0,
  }
  const { base, entries } = draft ?? { base: newestBase, entries: entriesOf(newestBase.version) }
  const isOutdated = draft !== undefined && etagOf(base.preset) !== etagOf(preset)
  const otherVersion = newest && newest.version > base.newest ? newest : preset?.designated_version
  const rebase = (version: PresetVersion) =>
    setDraft({
      base: { ...newestBase, number: version.version, version },
      entries: merge(entriesOf(base.version), entries, entriesOf(version)),
    })
  const { version, problems } = parseEntries(entries)
  return {
    entries,
    version,
    problems,
    base,
    isChanged: changesBetween(base.version, version).length > 0 || Object.keys(problems).length > 0,
    conflict: isOutdated ? otherVersion : undefined,
    setField: (name, text) => setDraft({ base, entries: { ...entries, [name]: text } }),
    merge: () => otherVersion && rebase(otherVersion),
    ignoreConflict: () => setDraft({ base: { ...base, preset, newest: newestBase.newest }, entries }),
    discard: () => setDraft(undefined),
  }
}

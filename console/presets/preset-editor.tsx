import { useState } from 'preact/hooks'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { canUseModelsAndInterns } from '../api/session.ts'
import type { PresetVersion, PresetWithVersion } from '../api/types.ts'
import { Problem } from '../components/page/problem.tsx'
import { useDebounced } from '../components/window/use-debounced.ts'
import { fields, parseProblems } from './config-fields.ts'
import { DraftTrial } from './draft-trial.tsx'
import { FieldInput, labelOf } from './field-input.tsx'
import { SaveVersion } from './save-version.tsx'
import { usePresetDraft } from './use-preset-draft.ts'
import { VersionConflict } from './version-conflict.tsx'

type Props = {
  slug: string
  /** Undefined for a preset that the first save creates. */
  preset: PresetWithVersion | undefined
  versions: PresetVersion[]
  /** The version that a new draft changes. */
  start: PresetVersion | undefined
  onReload: () => void
  onClose: (saved?: PresetVersion) => void
}

/** The form for all fields of a version. The result is saved as a new version. */
export function PresetEditor({ slug, preset, versions, start, onReload, onClose }: Props) {
  const draft = usePresetDraft(slug, preset, versions, start)
  const [addedNames, setAddedNames] = useState<string[]>([])
  const { problems, rest: otherProblem } = useProblems(slug, draft)
  const isVisible = ({ name, isCommon }: (typeof fields)[number]) =>
    isCommon || draft.entries[name] !== undefined || addedNames.includes(name)
  const unknownNames = Object.keys(draft.entries).filter((name) => !fields.some((field) => field.name === name))
  const visibleFields = [...fields.filter(isVisible), ...unknownNames.map((name) => ({ name, kind: 'json' as const }))]
  const hiddenFields = fields.filter((field) => !isVisible(field))
  return (
    <div class="preset-editing">
      <section aria-label="Draft">
        <h2>{draft.base.number === undefined ? 'New preset' : `New version, based on version ${draft.base.number}`}</h2>
        {visibleFields.map((field) => (
          <FieldInput
            key={field.name}
            field={field}
            text={draft.entries[field.name] ?? ''}
            problem={problems[field.name]}
            onChange={(text) => draft.setField(field.name, text)}
          />
        ))}
        <label class="preset-field">
          Add a field
          <select
            value=""
            onChange={(event) => {
              if (event.currentTarget.value !== '') setAddedNames([...addedNames, event.currentTarget.value])
            }}
          >
            <option value="">Choose a field</option>
            {hiddenFields.map((field) => (
              <option key={field.name} value={field.name}>
                {labelOf(field)}
              </option>
            ))}
          </select>
        </label>
        <Problem text={otherProblem} />
      </section>
      <div class="preset-side">
        {draft.conflict && <VersionConflict draft={draft} storedVersion={draft.conflict} />}
        <SaveVersion
          {...{ slug, preset, versions, draft, onReload, onClose }}
          hasProblems={Object.keys(problems).length > 0}
        />
        {canUseModelsAndInterns() && (
          <DraftTrial slug={slug} version={draft.version} canSend={Object.keys(draft.problems).length === 0} />
        )}
      </div>
    </div>
  )
}

/** The problems of a draft by field: what cannot be read, and what the service refuses. */
function useProblems(slug: string, { version, problems: unreadable }: ReturnType<typeof usePresetDraft>) {
  const settings = useDebounced(JSON.stringify(version))
  const preview = useResource(`${slug} ${settings}`, (signal) =>
    call('POST /presets/{slug}/preview', { params: { slug }, body: { settings: JSON.parse(settings) } }, { signal }),
  )
  const refusal = preview.failure ? parseProblems(preview.failure.message) : { problems: {}, rest: undefined }
  return { problems: { ...refusal.problems, ...unreadable }, rest: refusal.rest }
}

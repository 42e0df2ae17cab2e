import { useState } from 'preact/hooks'
import { call, ifUnchanged } from '../api/client.ts'
import { asFailure } from '../api/failure.ts'
import { invalidate } from '../api/resource.ts'
import type { PresetVersion, PresetWithVersion } from '../api/types.ts'
import { useAction } from '../components/form/use-action.ts'
import { Problem } from '../components/page/problem.tsx'
import { FieldChanges } from '../components/text/field-changes.tsx'
import { countText } from '../format/count.ts'
import { changesBetween } from './config-fields.ts'
import type { PresetDraft } from './use-preset-draft.ts'

type Props = {
  slug: string
  preset: PresetWithVersion | undefined
  versions: PresetVersion[]
  draft: PresetDraft
  hasProblems: boolean
  onReload: () => void
  onClose: (saved?: PresetVersion) => void
}

/** The changes of the draft against a version, by default the one in use, and the button that saves it. */
export function SaveVersion({ slug, preset, versions, draft, hasProblems, onReload, onClose }: Props) {
  const designatedVersion = preset?.designated_version
  const [comparedNumber, setComparedNumber] = useState<number>()
  const { problem, isBusy, run } = useAction()
  const comparedVersion = versions.find(({ version }) => version === (comparedNumber ?? designatedVersion?.version))
  const changes = changesBetween(comparedVersion ?? { system_prompt: null, config: {} }, draft.version)
  const save = () =>
    run(async () => {
      try {
        const body = { settings: draft.version }
        const { data } = await call(
          'POST /presets/{slug}/versions',
          { params: { slug }, body },
          ifUnchanged(draft.base.preset),
        )
        invalidate('/presets')
        draft.discard()
        onClose(data)
      } catch (error) {
        // The reloaded preset shows what somebody else has changed.
        if (asFailure(error).status !== 412) throw error
        invalidate('/presets')
      }
      onReload()
    })
  return (
    <section aria-label="Changes of the draft">
      <h2>
        {countText(changes.length, 'changed field')}
        {comparedVersion && (
          <select
            aria-label="Compare the draft with"
            value={comparedVersion.version}
            onChange={(event) => setComparedNumber(Number(event.currentTarget.value))}
          >
            {versions.map(({ id, version }) => (
              <option key={id} value={version}>
                {`against version ${version}${id === designatedVersion?.id ? ' (in use)' : ''}`}
              </option>
            ))}
          </select>
        )}
      </h2>
      <FieldChanges changes={changes} />
      <Problem text={problem} />
      <p>
        <button
          type="button"
          class="main"
          disabled={isBusy || hasProblems || !draft.isChanged || draft.conflict !== undefined}
          onClick={() => void save()}
        >
          Save version
        </button>{' '}
        <button
          type="button"
          onClick={() => {
            draft.discard()
            onClose()
          }}
        >
          {draft.isChanged ? 'Discard draft' : 'Close'}
        </button>
      </p>
      <p class="dim">
        {designatedVersion
          ? `Saving does not change what requests use: version ${designatedVersion.version} stays in use.`
          : 'Requests can use the first version of a new preset as soon as it is saved.'}
      </p>
    </section>
  )
}

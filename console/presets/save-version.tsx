import { useState } from 'preact/hooks'
import { call, ifUnchanged } from '../api/client.ts'
import { asFailure } from '../api/failure.ts'
import { invalidate } from '../api/resource.ts'
import type { PresetVersion, PresetWithVersion } from '../api/types.ts'
import { useAction } from '../components/form/use-action.ts'
import { Problem } from '../components/page/problem.tsx'
import { Difference } from '../components/text/difference.tsx'
import { countText } from '../format/count.ts'
import { changesBetween } from './config-fields.ts'
import type { PresetDraft } from './use-preset-draft.ts'

type Props = {
  slug: string
  preset: PresetWithVersion | undefined
  versions: PresetVersion[]
  draft: PresetDraft
  hasProblems: boolean
  reload: () => void
  close: (saved?: PresetVersion) => void
}

/** The changes of the draft against a version, by default the one in use, and the button that saves it. */
export function SaveVersion({ slug, preset, versions, draft, hasProblems, reload, close }: Props) {
  const designated = preset?.designated_version
  const [comparedVersion, setComparedVersion] = useState<number>()
  const { problem, isBusy, act } = useAction()
  const compared = versions.find(({ version }) => version === (comparedVersion ?? designated?.version))
  const changes = changesBetween(compared ?? { system_prompt: null, config: {} }, draft.version)
  const save = () =>
    act(async () => {
      try {
        const body = { settings: draft.version }
        const { data } = await call(
          'POST /presets/{slug}/versions',
          { params: { slug }, body },
          ifUnchanged(draft.base.preset),
        )
        invalidate('/presets')
        draft.discard()
        close(data)
      } catch (error) {
        // The reloaded preset shows what somebody else has changed.
        if (asFailure(error).status !== 412) throw error
        invalidate('/presets')
      }
      reload()
    })
  return (
    <section aria-label="Changes of the draft">
      <h2>
        {countText(changes.length, 'changed field')}
        {compared && (
          <select
            aria-label="Compare the draft with"
            value={compared.version}
            onChange={(event) => setComparedVersion(Number(event.currentTarget.value))}
          >
            {versions.map(({ id, version }) => (
              <option key={id} value={version}>
                {`against version ${version}${id === designated?.id ? ' (in use)' : ''}`}
              </option>
            ))}
          </select>
        )}
      </h2>
      <Difference changes={changes} />
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
            close()
          }}
        >
          {draft.isChanged ? 'Discard draft' : 'Close'}
        </button>
      </p>
      <p class="dim">
        {designated
          ? `Saving does not change what requests use: version ${designated.version} stays in use.`
          : 'Requests can use the first version of a new preset as soon as it is saved.'}
      </p>
    </section>
  )
}

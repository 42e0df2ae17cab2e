import { useState } from 'preact/hooks'
import { call } from '../api/client.ts'
import { asFailure } from '../api/failure.ts'
import { invalidate } from '../api/resource.ts'
import { canManage } from '../api/session.ts'
import type { SavedPresetVersion } from '../api/types.ts'
import { presetNameAttributes } from '../components/form/preset-name.ts'
import { Problem } from '../components/page/problem.tsx'
import { toast } from '../components/page/toast.tsx'
import { presetRevision, settings } from './conversation.ts'
import { savedRequest, skippedText } from './saved-request.ts'

type Saved = { slug: string; version: SavedPresetVersion; skippedFields: string | undefined }

/** Reloads the presets of the chat now, and those of other screens when they are opened. */
function reloadPresets(): void {
  invalidate('/presets')
  presetRevision.value++
}

/** Saves the first model and the settings as a version of a preset. Using the version is a second, explicit step. */
export function SaveAsPreset({ models }: { models: string[] }) {
  const [slug, setSlug] = useState('')
  const [problem, setProblem] = useState<string>()
  const [saved, setSaved] = useState<Saved>()
  if (!canManage()) return <p class="dim">An owner or admin can save this as a preset.</p>
  const save = async (event: Event) => {
    event.preventDefault()
    setProblem(undefined)
    setSaved(undefined)
    try {
      const body = { chat: savedRequest(models[0], settings.value) }
      const { data } = await call('POST /presets/{slug}/versions', { params: { slug }, body })
      reloadPresets()
      setSaved({ slug, version: data, skippedFields: skippedText(data.skipped_fields, models) })
      setSlug('')
    } catch (error) {
      setProblem(asFailure(error).message)
    }
  }
  return (
    <>
      <form class="save-preset" onSubmit={save}>
        <label>
          Save as preset
          <input {...presetNameAttributes} value={slug} onInput={(event) => setSlug(event.currentTarget.value)} />
        </label>
        <button type="submit">Save</button>
        <Problem text={problem} />
      </form>
      {saved && <SavedVersion key={saved.version.id} {...saved} />}
    </>
  )
}

function SavedVersion({ slug, version: { version, is_designated }, skippedFields }: Saved) {
  const [isInUse, setInUse] = useState(is_designated)
  const designate = async () => {
    try {
      const params = { slug, version: String(version) }
      await call('POST /presets/{slug}/versions/{version}/designate', { params })
      reloadPresets()
      setInUse(true)
    } catch (error) {
      toast(asFailure(error).message, { isError: true })
    }
  }
  return (
    <div role="status">
      <p>
        Saved as <a href={`/presets/${slug}?version=${version}`}>{`@preset/${slug}, version ${version}`}</a>.{' '}
        {isInUse ? 'Requests use this version.' : 'Requests still use the previous version.'}
      </p>
      {skippedFields && <p class="dim">{skippedFields}</p>}
      {!isInUse && (
        <button type="button" onClick={() => void designate()}>
          Use this version
        </button>
      )}
    </div>
  )
}

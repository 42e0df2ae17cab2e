import { useState } from 'preact/hooks'
import { call } from '../api/client.ts'
import { invalidate } from '../api/resource.ts'
import { canManage } from '../api/session.ts'
import type { SavedPresetVersion } from '../api/types.ts'
import { presetNameAttributes } from '../components/form/preset-name.ts'
import { runOrToast, useAction } from '../components/form/use-action.ts'
import { Problem } from '../components/page/problem.tsx'
import { presetRevision, settings } from './conversation.ts'
import { savedRequest, skippedText } from './saved-request.ts'

type SavedPreset = { slug: string; version: SavedPresetVersion; skippedFields: string | undefined }

/** Reloads the presets of the chat now, and those of other screens when they are opened. */
function reloadPresets(): void {
  invalidate('/presets')
  presetRevision.value++
}

/** A form that saves the first model and the settings as a version of a preset. Using the version is a second, explicit step. */
export function SaveAsPreset({ models }: { models: string[] }) {
  const [slug, setSlug] = useState('')
  const { problem, onSubmit } = useAction()
  const [savedVersion, setSavedVersion] = useState<SavedPreset>()
  if (!canManage()) return <p class="dim">An owner or admin can save this as a preset.</p>
  const save = onSubmit(async () => {
    setSavedVersion(undefined)
    const body = { chat: savedRequest(models[0], settings.value) }
    const { data } = await call('POST /presets/{slug}/versions', { params: { slug }, body })
    reloadPresets()
    setSavedVersion({ slug, version: data, skippedFields: skippedText(data.skipped_fields, models) })
    setSlug('')
  })
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
      {savedVersion && <SavedVersion key={savedVersion.version.id} {...savedVersion} />}
    </>
  )
}

function SavedVersion({ slug, version: { version, is_designated }, skippedFields }: SavedPreset) {
  const [isInUse, setInUse] = useState(is_designated)
  const designate = async () => {
    const params = { slug, version: String(version) }
    await call('POST /presets/{slug}/versions/{version}/designate', { params })
    reloadPresets()
    setInUse(true)
  }
  return (
    <div role="status">
      <p>
        Saved as <a href={`/presets/${slug}?version=${version}`}>{`@preset/${slug}, version ${version}`}</a>.{' '}
        {isInUse ? 'Requests use this version.' : 'Requests still use the previous version.'}
      </p>
      {skippedFields && <p class="dim">{skippedFields}</p>}
      {!isInUse && (
        <button type="button" onClick={() => void runOrToast(designate)}>
          Use this version
        </button>
      )}
    </div>
  )
}

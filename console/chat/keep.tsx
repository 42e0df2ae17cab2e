import { useState } from 'preact/hooks'
import { call } from '../api/client.ts'
import { asFailure } from '../api/failure.ts'
import { forget } from '../api/resource.ts'
import { manages } from '../api/session.ts'
import { Problem } from '../pieces/problem.tsx'
import { toast } from '../pieces/toast.tsx'
import { fieldsOf } from './request.ts'
import { kept, settings } from './talk.ts'

/** Keeps the first model and the settings under a name; a name that is taken gets another version. */
export function KeepAsPreset({ models }: { models: string[] }) {
  const [slug, setSlug] = useState('')
  const [problem, setProblem] = useState<string>()
  const [model] = models
  if (!manages()) return <p class="dim">An owner or an admin can keep this as a preset.</p>
  const keep = async (event: Event) => {
    event.preventDefault()
    setProblem(undefined)
    try {
      const system = settings.value.system.trim()
      const messages = system === '' ? [] : [{ role: 'system' as const, content: system }]
      const body = { ...fieldsOf(settings.value), messages, ...(model && !model.startsWith('@') && { model }) }
      const { data } = await call('POST /presets/{slug}/chat/completions', { params: { slug }, body })
      forget('/presets')
      kept.value++
      toast(`Kept as @preset/${slug}, version ${data.designated_version.version}`)
      setSlug('')
    } catch (error) {
      setProblem(asFailure(error).message)
    }
  }
  return (
    <form class="keep" onSubmit={keep}>
      <label>
        Keep as preset
        <input
          placeholder="a name such as invoices"
          pattern="[a-z0-9][a-z0-9_\-]{0,63}"
          title="1 to 64 of a-z 0-9 - _, first a letter or digit"
          required
          value={slug}
          onInput={(event) => setSlug(event.currentTarget.value)}
        />
      </label>
      <button type="submit">Keep</button>
      <Problem text={problem} />
    </form>
  )
}

import { useLocation } from 'preact-iso/router'
import { queryOf } from '../api/address.ts'
import { call } from '../api/client.ts'
import { asFailure } from '../api/failure.ts'
import { everyPage } from '../api/pages.ts'
import { forget, useGet, useResource } from '../api/resource.ts'
import { asks, manages } from '../api/session.ts'
import type { PresetVersion, PresetWithVersion } from '../api/types.ts'
import { Heading } from '../components/heading.tsx'
import { useKeys } from '../components/keys.ts'
import { Failed, Loading } from '../components/page-states.tsx'
import { At } from '../components/timestamp.tsx'
import { toast } from '../components/toast.tsx'
import { Fields } from './version-fields.tsx'

/** One preset: its versions, which is in use, and how one differs from another. */
export function PresetPage({ slug }: { slug: string }) {
  const { route } = useLocation()
  const preset = useGet('GET /presets/{slug}', { params: { slug } })
  const versions = useResource(`/presets/${slug}/versions`, (signal) =>
    everyPage((query) => call('GET /presets/{slug}/versions', { params: { slug }, query }, { signal })),
  )
  useKeys([{ key: 'Escape', says: 'back to the list', act: () => route('/presets') }])
  const failure = preset.failure ?? versions.failure
  const reload = () => {
    preset.reload()
    versions.reload()
  }
  const found = preset.data?.data
  return (
    <div class="page preset">
      <p>
        <a href="/presets">← Presets</a>
      </p>
      {failure && <Failed failure={failure} again={reload} />}
      {!failure && !(found && versions.data) && <Loading />}
      {!failure && found && versions.data && (
        <>
          <Head preset={found} />
          <Versions preset={found} versions={versions.data} reload={reload} />
        </>
      )}
    </div>
  )
}

function Head({ preset: { slug, description, status } }: { preset: PresetWithVersion }) {
  return (
    <>
      <header>
        <Heading>{`@preset/${slug}`}</Heading>
        {status !== 'active' && <span class="warn">{status}: cannot be used</span>}
        {status === 'active' && asks() && (
          <a class="button" href={`/chat${queryOf({ model: `@preset/${slug}` })}`}>
            Try it
          </a>
        )}
        <a class="button" href={`/requests${queryOf({ preset: slug })}`}>
          Requests
        </a>
      </header>
      {description && <p class="dim">{description}</p>}
    </>
  )
}

/** The chat in which versions answer the same, side by side. */
const chatWith = (slug: string, ...versions: number[]) =>
  `/chat${queryOf({ model: [...new Set(versions)].map((version) => `@preset/${slug}@${version}`).join() })}`

type VersionsProps = { preset: PresetWithVersion; versions: PresetVersion[]; reload: () => void }

/** The one that is shown and the one that it is held against stand in the address. */
function Versions({ preset, versions, reload }: VersionsProps) {
  const { path, query, route } = useLocation()
  const used = preset.designated_version
  const numbered = (text: string | undefined) => versions.find(({ version }) => String(version) === text)
  const shown = numbered(query.version) ?? used
  const against = numbered(query.against) ?? shown
  const show = (part: object) => route(path + queryOf({ ...query, ...part }), true)
  return (
    <div class="preset-versions">
      <section aria-label="Versions">
        <h2>Versions</h2>
        <ul>
          {versions.map((one) => (
            <li key={one.id}>
              <button
                type="button"
                aria-pressed={one.id === shown.id}
                onClick={() => show({ version: one.version, against: used.id === one.id ? undefined : used.version })}
              >
                Version {one.version}
              </button>{' '}
              <At time={one.created_at} /> {one.id === used.id && <span class="ok">in use</span>}
            </li>
          ))}
        </ul>
      </section>
      <section aria-label="Contents">
        <h2>
          Version {shown.version}{' '}
          <select
            aria-label="Compare with"
            value={against.version}
            onChange={(event) => show({ version: shown.version, against: event.currentTarget.value })}
          >
            {versions.map(({ id, version }) => (
              <option key={id} value={version}>
                {id === shown.id ? 'No comparison' : `Compare with version ${version}`}
              </option>
            ))}
          </select>{' '}
          {preset.status === 'active' && asks() && (
            <a class="button" href={chatWith(preset.slug, against.version, shown.version)}>
              {against.id === shown.id ? `Try version ${shown.version}` : 'Run both side by side'}
            </a>
          )}{' '}
          {manages() && shown.id !== used.id && (
            <button type="button" onClick={() => void designate(preset, shown.version, reload)}>
              Use version {shown.version}
            </button>
          )}
        </h2>
        <Fields before={against} after={shown} />
      </section>
    </div>
  )
}

async function designate(preset: PresetWithVersion, version: number, reload: () => void): Promise<void> {
  const { slug, designated_version: before } = preset
  const use = async (number: number) => {
    const params = { slug, version: String(number) }
    await call('POST /presets/{slug}/versions/{version}/designate', { params })
    forget('/presets')
    reload()
  }
  const told = (error: unknown) => toast(asFailure(error).message, { isBad: true })
  try {
    await use(version)
    toast(`Version ${version} is in use`, { undo: () => void use(before.version).catch(told) })
  } catch (error) {
    told(error)
  }
}

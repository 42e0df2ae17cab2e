import { useLocation } from 'preact-iso/router'
import { queryOf } from '../api/address/address.ts'
import { call, ifUnchanged } from '../api/client.ts'
import { fetchAllPages } from '../api/pages.ts'
import { invalidate, useGet, useResource } from '../api/resource.ts'
import { canManage, canUseModelsAndInterns } from '../api/session.ts'
import type { PresetVersion, PresetWithVersion } from '../api/types.ts'
import { hasDraft } from '../components/form/drafts.ts'
import { runOrToast } from '../components/form/use-action.ts'
import { Heading } from '../components/page/heading.tsx'
import { FailureState, Loading } from '../components/page/page-states.tsx'
import { toast } from '../components/page/toast.tsx'
import { ClockTime } from '../components/text/timestamp.tsx'
import { useShortcuts } from '../components/window/keyboard.ts'
import { PresetEditor } from './preset-editor.tsx'
import { VersionFields } from './version-fields.tsx'

/** A preset: its versions, which one is in use, and their differences. */
export function PresetPage({ slug }: { slug: string }) {
  const { route, query, path } = useLocation()
  const isNew = canManage() && query.edit === 'new'
  const preset = useGet('GET /presets/{slug}', isNew ? undefined : { params: { slug } })
  const versions = useResource(isNew ? undefined : `/presets/${slug}/versions`, (signal) =>
    fetchAllPages((query) => call('GET /presets/{slug}/versions', { params: { slug }, query }, { signal })),
  )
  useShortcuts([{ key: 'Escape', description: 'back to the list', onPress: () => route('/presets') }])
  const failure = preset.failure ?? versions.failure
  const reload = () => {
    preset.reload()
    versions.reload()
  }
  const storedPreset = isNew ? undefined : preset.data?.data
  const close = (saved?: PresetVersion) => {
    const inUse = storedPreset?.designated_version.version
    if (saved) toast(savedText(saved.version, inUse))
    route(
      saved || storedPreset ? path + queryOf({ version: saved?.version, against: saved && inUse }) : '/presets',
      true,
    )
  }
  return (
    <div class="page preset">
      <p>
        <a href="/presets">← Presets</a>
      </p>
      {failure && (
        <>
          <Heading isHidden>{`@preset/${slug}`}</Heading>
          <FailureState failure={failure} onRetry={reload} />
        </>
      )}
      {isNew && (
        <>
          <header>
            <Heading>{`@preset/${slug}`}</Heading>
          </header>
          <PresetEditor
            {...{ slug, onReload: reload, onClose: close }}
            preset={undefined}
            versions={[]}
            start={undefined}
          />
        </>
      )}
      {!isNew && !failure && !(storedPreset && versions.data) && <Loading />}
      {!failure && storedPreset && versions.data && (
        <>
          <Head preset={storedPreset} />
          {canManage() && query.edit ? (
            <PresetEditor
              {...{ slug, onReload: reload, onClose: close }}
              preset={storedPreset}
              versions={versions.data}
              start={
                versions.data.find(({ version }) => String(version) === query.edit) ?? storedPreset.designated_version
              }
            />
          ) : (
            <Versions preset={storedPreset} versions={versions.data} onReload={reload} />
          )}
        </>
      )}
    </div>
  )
}

const savedText = (saved: number, inUse: number | undefined) =>
  inUse === undefined
    ? `Version ${saved} is saved. Requests can use it.`
    : `Version ${saved} is saved. Requests still use version ${inUse}.`

function Head({ preset: { slug, description, status } }: { preset: PresetWithVersion }) {
  return (
    <>
      <header>
        <Heading>{`@preset/${slug}`}</Heading>
        {status !== 'active' && <span class="warn">{status}: cannot be used</span>}
        {status === 'active' && canUseModelsAndInterns() && (
          <a class="button" href={`/chat${queryOf({ model: `@preset/${slug}` })}`}>
            Open in chat
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

/** The path of a chat with several versions side by side. */
const chatPath = (slug: string, ...versions: number[]) =>
  `/chat${queryOf({ model: [...new Set(versions)].map((version) => `@preset/${slug}@${version}`).join() })}`

type VersionsProps = { preset: PresetWithVersion; versions: PresetVersion[]; onReload: () => void }

/** The list of versions. The selected and the compared version are in the address. */
function Versions({ preset, versions, onReload }: VersionsProps) {
  const { path, query, route } = useLocation()
  const designatedVersion = preset.designated_version
  const findVersion = (text: string | undefined) => versions.find(({ version }) => String(version) === text)
  const selectedVersion = findVersion(query.version) ?? designatedVersion
  const baseVersion = findVersion(query.against) ?? selectedVersion
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
                aria-pressed={one.id === selectedVersion.id}
                onClick={() =>
                  show({
                    version: one.version,
                    against: designatedVersion.id === one.id ? undefined : designatedVersion.version,
                  })
                }
              >
                Version {one.version}
              </button>{' '}
              <ClockTime time={one.created_at} /> {one.id === designatedVersion.id && <span class="ok">in use</span>}
            </li>
          ))}
        </ul>
      </section>
      <section aria-label="Contents">
        <h2>
          Version {selectedVersion.version}{' '}
          <select
            aria-label="Compare with"
            value={baseVersion.version}
            onChange={(event) => show({ version: selectedVersion.version, against: event.currentTarget.value })}
          >
            {versions.map(({ id, version }) => (
              <option key={id} value={version}>
                {id === selectedVersion.id ? 'No comparison' : `Compare with version ${version}`}
              </option>
            ))}
          </select>{' '}
          {preset.status === 'active' && canUseModelsAndInterns() && (
            <a class="button" href={chatPath(preset.slug, baseVersion.version, selectedVersion.version)}>
              {baseVersion.id === selectedVersion.id
                ? `Open version ${selectedVersion.version} in chat`
                : 'Compare in chat'}
            </a>
          )}{' '}
          {canManage() && (
            <a class="button" href={path + queryOf({ edit: selectedVersion.version })}>
              {hasDraft(`preset ${preset.slug}`) ? 'Continue draft' : 'Edit'}
            </a>
          )}{' '}
          {canManage() && selectedVersion.id !== designatedVersion.id && (
            <button
              type="button"
              class="main"
              onClick={() => void designate(preset, selectedVersion.version, onReload)}
            >
              Use version {selectedVersion.version}
            </button>
          )}
        </h2>
        <VersionFields from={baseVersion} to={selectedVersion} />
      </section>
    </div>
  )
}

/** Lets requests use a version. */
function designate(preset: PresetWithVersion, version: number, reload: () => void): Promise<void> {
  const { slug, designated_version: previousVersion } = preset
  // Undo is refused, like the change itself, if somebody has changed the preset since.
  const designateVersion = async (number: number, read: PresetWithVersion) => {
    try {
      const params = { slug, version: String(number) }
      const route = 'POST /presets/{slug}/versions/{version}/designate'
      return (await call(route, { params }, ifUnchanged(read))).data
    } finally {
      invalidate('/presets')
      reload()
    }
  }
  return runOrToast(async () => {
    const updated = await designateVersion(version, preset)
    const undo = () => void runOrToast(() => designateVersion(previousVersion.version, updated))
    toast(`Version ${version} is in use`, { undo })
  })
}

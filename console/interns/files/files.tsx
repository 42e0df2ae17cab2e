import { useRef, useState } from 'preact/hooks'
import { call, callRaw, linkTo } from '../../api/client.ts'
import { readFailure } from '../../api/failure.ts'
import { fetchAllCursorPages } from '../../api/pages.ts'
import { useResource } from '../../api/resource.ts'
import { csrfToken } from '../../api/session.ts'
import type { InternFile } from '../../api/types.ts'
import { runOrToast } from '../../components/form/use-action.ts'
import { FailureState, Loading } from '../../components/page/page-states.tsx'
import { toast } from '../../components/page/toast.tsx'
import { RelativeTime } from '../../components/text/timestamp.tsx'
import { countText } from '../../format/count.ts'
import { escapeInvisible } from '../visible-text.ts'
import { ChangeFile } from './change-file.tsx'
import { NewFolder } from './new-folder.tsx'

const listRoute = 'GET /interns/{internId}/files'
const contentRoute = 'GET /interns/{internId}/files/content'
const archiveRoute = 'GET /interns/{internId}/files/archive'
/** Longer texts are cut. */
const maxTextBytes = 65_536
/** Entries displayed at first. Each press of the button reads the list again from its start, so it shows many more. */
const initialEntries = 500
const moreFactor = 4

/** The files of an intern: browse folders, read texts, download and upload. */
export function Files({ internId }: { internId: string }) {
  const [folder, setFolder] = useState('')
  const [openFile, setOpenFile] = useState<{ path: string; text: string }>()
  const params = { internId }
  const [editedEntry, setEditedEntry] = useState<{ path: string; isFolder: boolean }>()
  const [maxEntries, setMaxEntries] = useState(initialEntries)
  const { data, failure, reload } = useResource(`files of ${internId} in ${folder} ${maxEntries}`, (signal) =>
    fetchAllCursorPages(
      (query) => call(listRoute, { params, query: { ...query, path: folder } }, { signal }),
      maxEntries,
    ),
  )
  const pathInFolder = (name: string) => (folder ? `${folder}/${name}` : name)
  /** The file that was pressed last. The content of an earlier file can arrive later. */
  const requestedPath = useRef<string>(undefined)
  const openFolder = (path: string) => {
    requestedPath.current = undefined
    setOpenFile(undefined)
    setMaxEntries(initialEntries)
    setFolder(path)
  }
  const openText = (path: string) =>
    runOrToast(async () => {
      requestedPath.current = path
      const text = await readText(internId, path)
      if (requestedPath.current === path) setOpenFile({ path, text })
    })
  /** Uploads files one after another, and names those that were not uploaded. */
  const upload = async (files: File[]) => {
    const paths: string[] = []
    for (const file of files) {
      const path = pathInFolder(file.name)
      await runOrToast(
        async () => {
          await uploadFile(internId, path, file)
          paths.push(path)
        },
        `${escapeInvisible(file.name)}: `,
      )
    }
    reload()
    if (paths.length === 0) return
    const undo = async () => {
      for (const path of paths) await call('DELETE /interns/{internId}/files', { params, query: { path } })
      reload()
    }
    toast(`${countText(paths.length, 'file')} uploaded`, { undo: () => void runOrToast(undo) })
  }
  return (
    <>
      <h2>Files</h2>
      <p class="intern-files">
        {['', ...parentPaths(folder)].map((path) => (
          <button key={path} type="button" disabled={path === folder} onClick={() => openFolder(path)}>
            {escapeInvisible(path.split('/').at(-1)!) || 'workspace'}
          </button>
        ))}
        <a href={linkTo(archiveRoute, { params, query: { path: folder } })} download>
          Download as tar.gz
        </a>
        <label class="button">
          Upload …
          <input
            type="file"
            multiple
            onChange={({ currentTarget }) => {
              void upload([...(currentTarget.files ?? [])])
              // Allows selecting the same files again.
              currentTarget.value = ''
            }}
          />
        </label>
      </p>
      <NewFolder internId={internId} pathInFolder={pathInFolder} onDone={reload} />
      {failure && <FailureState failure={failure} onRetry={reload} />}
      {!failure && !data && <Loading />}
      {data?.rows.length === 0 && <p class="dim">The folder is empty.</p>}
      <ul class="interns">
        {data?.rows.map((entry) => {
          const path = pathInFolder(entry.name)
          const isFolder = entry.kind === 'folder'
          return (
            <EntryRow
              key={entry.name}
              entry={entry}
              downloadUrl={linkTo(contentRoute, { params, query: { path } })}
              onOpen={() => (isFolder ? openFolder(path) : void openText(path))}
              onEdit={() => setEditedEntry({ path, isFolder })}
            />
          )
        })}
      </ul>
      {data?.hasMore && (
        <p>
          <button type="button" onClick={() => setMaxEntries(maxEntries * moreFactor)}>
            Show more
          </button>
        </p>
      )}
      {editedEntry && (
        <ChangeFile internId={internId} {...editedEntry} onDone={reload} onClose={() => setEditedEntry(undefined)} />
      )}
      {openFile && (
        <section aria-label={escapeInvisible(openFile.path)}>
          <h3>{escapeInvisible(openFile.path)}</h3>
          <pre>{escapeInvisible(openFile.text)}</pre>
        </section>
      )}
    </>
  )
}

type RowProps = { entry: InternFile; downloadUrl: string; onOpen: () => void; onEdit: () => void }

/** A file or a folder. One whose name is not valid UTF-8 is not addressable. */
function EntryRow({ entry: { name, kind, size, modified_at, addressable }, downloadUrl, onOpen, onEdit }: RowProps) {
  return (
    <li>
      {addressable && (kind === 'folder' || kind === 'file') ? (
        <button type="button" onClick={onOpen}>
          {escapeInvisible(name)}
          {kind === 'folder' && '/'}
        </button>
      ) : (
        <span>{escapeInvisible(name)}</span>
      )}
      <span class="dim">{kind === 'file' ? countText(size, 'byte') : kind}</span>
      <span class="dim about">
        {kind === 'file' && addressable && (
          <a href={downloadUrl} download>
            Download
          </a>
        )}{' '}
        <RelativeTime time={modified_at} />
      </span>
      {addressable && (
        <button type="button" aria-label={`Change ${escapeInvisible(name)}`} onClick={onEdit}>
          Change
        </button>
      )}
    </li>
  )
}

/** Reads the start of a file, or explains that it is not text. */
async function readText(internId: string, path: string): Promise<string> {
  const headers = { range: `bytes=0-${maxTextBytes - 1}` }
  const input = { params: { internId }, query: { path } }
  const response = await callRaw(contentRoute, input, { headers }).catch((error) => {
    // An empty file has no valid range.
    if (error.status === 416) return new Response('')
    throw error
  })
  const text = await response.text()
  if (text.includes('\0')) return 'This file is not text. Download it instead.'
  const isTruncated = Number(response.headers.get('content-range')?.split('/')[1]) > maxTextBytes
  return isTruncated ? `${text}\n…` : text
}

const parentPaths = (folder: string) =>
  folder ? folder.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/')) : []

/**
 * Uploads a file. `call` would send its bytes as JSON. An existing file is not overwritten: it may be the intern's work.
 */
async function uploadFile(internId: string, path: string, body: File): Promise<void> {
  const response = await fetch(
    linkTo('PUT /interns/{internId}/files/content', { params: { internId }, query: { path, keep: 'true' } }),
    { method: 'PUT', body, headers: { 'x-csrf-token': csrfToken() ?? '' } },
  )
  if (!response.ok) throw await readFailure(response)
}

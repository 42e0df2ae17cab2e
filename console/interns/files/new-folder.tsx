import { useState } from 'preact/hooks'
import { call } from '../../api/client.ts'
import { runOrToast } from '../../components/form/use-action.ts'
import { toast } from '../../components/page/toast.tsx'
import { escapeInvisible } from '../visible-text.ts'

/** Creates a folder in the current one. Undo works while it is empty. */
export function NewFolder({
  id,
  pathInFolder,
  onDone,
}: {
  id: string
  pathInFolder: (name: string) => string
  onDone: () => void
}) {
  const [name, setName] = useState('')
  const params = { internId: id }
  const createFolder = async () => {
    const path = pathInFolder(name)
    const { data } = await call('POST /interns/{internId}/files/folders', { params, body: { path } })
    setName('')
    onDone()
    const undo = async () => {
      await call('DELETE /interns/{internId}/files', { params, query: { path } })
      onDone()
    }
    toast(data.created ? `Folder ${escapeInvisible(name)} created` : `Folder ${escapeInvisible(name)} already exists`, {
      ...(data.created && { undo: () => void runOrToast(undo) }),
    })
  }
  return (
    <form
      class="new-folder"
      onSubmit={(event) => {
        event.preventDefault()
        void runOrToast(createFolder)
      }}
    >
      <input
        aria-label="Name of the new folder"
        placeholder="New folder"
        required
        value={name}
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <button type="submit">Create</button>
    </form>
  )
}

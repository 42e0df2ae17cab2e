import { maskSecrets } from '#gateway/attempt/secrets/mask-secrets.ts'
import { cloneInPod } from '#provision/kubernetes/clone-in-pod.ts'

// The first container of an intern's pod if the intern starts with a repository. The owner sees the last line of its output.
process.umask(0o077)
// No warnings about the disk: the last line must be the reason of a failed clone.
const onMeasureError = () => {}
try {
  const [file] = process.argv.slice(2)
  if (!file) throw new Error('Give the file that says what to clone: node bin/clone.ts repository.json')
  await cloneInPod(file, { path: process.env.PATH ?? '', mask: maskSecrets, onMeasureError })
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exit(1)
}

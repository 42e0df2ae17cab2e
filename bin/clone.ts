import { maskSecrets } from '#gateway/attempt/mask-secrets.ts'
import { cloneInPod } from '#provision/kubernetes/clone-in-pod.ts'

// The first container of an intern's pod, where it begins with a repository. Its last line is what the owner is told.
process.umask(0o077)
// Its owner is told the last line, which is to be why there is no clone.
const onUncounted = () => {}
try {
  const [file] = process.argv.slice(2)
  if (!file) throw new Error('Give the file that says what to clone: node bin/clone.ts repository.json')
  await cloneInPod(file, { path: process.env.PATH ?? '', mask: maskSecrets, onUncounted })
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exit(1)
}

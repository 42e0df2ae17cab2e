import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, globSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ImageBuilder, podman, run } from '#test/harness/cluster/image.ts'
import { cache } from '../kube/kube.ts'
import { pauseImage } from './node-settings.ts'

/** The service's image by two names, as of two releases. */
export const serviceImage = (release: 1 | 2) => `localhost/signalbox:${release}`

/** Builds the committed image of pods in this folder, unless it exists. @returns archives for containerd. */
export function buildImages(folder: string): string[] {
  const builder = new ImageBuilder(folder, `signalbox-kubernetes-${process.pid}`)
  const stored = join(cache, `service-${hashOfSources()}.tar`)
  const pause = join(folder, 'pause.tar')
  const save = (file: string, ...names: string[]) => {
    podman('save', '-q', '--multi-image-archive', '-o', `${file}.new`, ...names)
    renameSync(`${file}.new`, file)
  }
  try {
    makePauseImage(folder)
    save(pause, pauseImage)
    if (existsSync(stored)) return [pause, stored]
    for (const old of globSync(join(cache, 'service-*.tar'))) rmSync(old)
    builder.makeBases(join(cache, 'debian.tar'))
    builder.build('service', builder.makeSources())
    podman('tag', builder.name('service'), serviceImage(1), serviceImage(2))
    save(stored, serviceImage(1), serviceImage(2))
    return [pause, stored]
  } finally {
    for (const name of [pauseImage, serviceImage(1), serviceImage(2)])
      run('sh', ['-c', 'podman rmi -f "$0" >/dev/null 2>&1 || true', name])
    builder.remove('service')
  }
}

/** A hash of the committed files that go into the image. */
function hashOfSources(): string {
  const parts = ['Containerfile', 'bin', 'console', 'ops', 'src', 'package-lock.json']
  return createHash('sha256')
    .update(run('git', ['ls-tree', 'HEAD', ...parts]))
    .digest('hex')
    .slice(0, 12)
}

/** The pause container: it holds the namespaces of a pod and adopts orphaned processes. */
function makePauseImage(folder: string): void {
  const root = join(folder, 'pause')
  mkdirSync(root)
  copyFileSync(['/usr/bin/catatonit', '/usr/libexec/podman/catatonit'].find(existsSync)!, join(root, 'pause'))
  run('tar', ['-C', root, '-cf', join(folder, 'pause-root.tar'), 'pause'])
  run('podman', ['import', '-c', 'ENTRYPOINT ["/pause", "-P"]', join(folder, 'pause-root.tar'), pauseImage])
  rmSync(root, { recursive: true })
}

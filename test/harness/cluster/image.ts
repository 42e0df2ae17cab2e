import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The programs that build images, all from Debian. */
export const imageTools = ['podman', 'runc', 'debootstrap']

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** @throws Error with the end of the command's output, if it fails. */
export function run(command: string, args: string[], cwd = root): string {
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 1e8 })
  if (error) throw error
  if (status !== 0) throw new Error(`${command} ${args.join(' ').slice(0, 200)}:\n${stderr.trimEnd().slice(-2000)}`)
  return stdout.trim()
}

/** Limits that a user without permission to raise limits can also set. */
export const limits = ['--ulimit', 'nofile=4096:4096', '--ulimit', 'nproc=4096:4096']
export const podman = (...args: string[]) => run('podman', ['--runtime', 'runc', ...args])

/**
 * The folder of the npm on the path. `npm root -g` does not return it: within `npm run`, npm runs on Node of `node_modules`
 * and derives the folder from that.
 */
const npmFolder = () => join(run('sh', ['-c', 'readlink -f "$(command -v npm)"']), '../..')

/** Builds the service's image and its base images without an image registry. */
export class ImageBuilder {
  readonly #folder: string
  readonly #prefix: string

  /** @param folder a scratch folder; the names of the images start with `prefix`. */
  constructor(folder: string, prefix: string) {
    this.#folder = folder
    this.#prefix = prefix
  }

  name(image: string): string {
    return `localhost/${this.#prefix}-${image}`
  }

  /**
   * Builds the base images: Debian as installed, and the same with npm.
   * @param stored a tar of the first image, which is created if it is missing.
   */
  makeBases(stored = join(this.#folder, 'debian.tar')): void {
    if (!existsSync(stored)) {
      const system = join(this.#folder, 'system')
      run('debootstrap', ['--variant=minbase', '--include=ca-certificates,git,libatomic1', 'bookworm', system])
      run('sh', ['-c', 'tar -C "$0" -cf "$1.new" . && mv "$1.new" "$1"', system, stored])
      rmSync(system, { recursive: true })
    }
    run('podman', ['import', stored, this.name('base')])
    const npm = join(this.#folder, 'npm')
    for (const part of ['usr/local/bin', 'usr/lib/node_modules']) mkdirSync(join(npm, part), { recursive: true })
    cpSync(npmFolder(), join(npm, 'usr/lib/node_modules/npm'), { recursive: true })
    cpSync(process.execPath, join(npm, 'usr/local/bin/node'))
    symlinkSync('/usr/lib/node_modules/npm/bin/npm-cli.js', join(npm, 'usr/local/bin/npm'))
    writeFileSync(join(this.#folder, 'npm.containerfile'), `FROM ${this.name('base')}\nCOPY . /\n`)
    podman('build', '-q', '-t', this.name('npm'), '-f', join(this.#folder, 'npm.containerfile'), npm)
  }

  /** Copies the committed files, and fills npm's cache with the packages of the lock file. */
  makeSources(): { sources: string; cache: string } {
    const [sources, cache] = [join(this.#folder, 'sources'), join(this.#folder, 'cache')]
    mkdirSync(sources)
    run('sh', ['-c', 'git archive HEAD | tar -x -C "$0"', sources])
    run('npm', ['ci', '--omit=dev', '--no-audit', '--no-fund', '--cache', cache], sources)
    rmSync(join(sources, 'node_modules'), { recursive: true })
    const npmrc = `registry=${run('npm', ['config', 'get', 'registry'])}\ncache=/cache\n`
    writeFileSync(join(this.#folder, 'npmrc'), npmrc)
    return { sources, cache }
  }

  /** Builds the service's image without a network. @returns its id. */
  build(image: string, { sources, cache }: { sources: string; cache: string }): string {
    const bases = ['--build-arg', `NPM_IMAGE=${this.name('npm')}`, '--build-arg', `BASE_IMAGE=${this.name('base')}`]
    const npm = ['-v', `${cache}:/cache:O`, '--secret', `id=npmrc,src=${join(this.#folder, 'npmrc')}`]
    // Without layers, no image of the first stage remains.
    const args = [
      '-q',
      '--no-cache',
      '--layers=false',
      '--network',
      'none',
      '--timestamp',
      '0',
      ...limits,
      ...bases,
      ...npm,
    ]
    podman('build', ...args, '-t', this.name(image), sources)
    return podman('inspect', this.name(image), '--format', '{{.Id}}')
  }

  /** Removes these images and their base images. */
  remove(...images: string[]): void {
    for (const image of [...images, 'npm', 'base'])
      run('sh', ['-c', 'podman rmi -f "$0" >/dev/null 2>&1 || true', this.name(image)])
  }
}

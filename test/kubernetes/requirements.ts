import { existsSync, globSync } from 'node:fs'

const folders = `${process.env.PATH}:/usr/local/go/bin:/usr/sbin:/sbin`.split(':')
const onPath = (command: string) => folders.some((folder) => existsSync(`${folder}/${command}`))
/** Of Debian's packages, by a command of each. */
const packages: [command: string, name: string][] = [
  ['containerd', 'containerd'],
  ['runc', 'runc'],
  ['catatonit', 'catatonit'],
  ['ip', 'iproute2'],
  ['iptables-restore', 'iptables'],
  ['openssl', 'openssl'],
  ['podman', 'podman'],
  ['debootstrap', 'debootstrap'],
  ['unshare', 'util-linux'],
]

/** Describes what is missing for a cluster on this machine. */
export function missing(binary: string): string[] {
  const absent = packages.filter(([command]) => !onPath(command)).map(([, name]) => name)
  return [
    ...(process.getuid?.() === 0 ? [] : ['to be run as root']),
    ...(absent.length > 0 ? [`Debian's ${absent.join(', ')}`] : []),
    ...(existsSync('/usr/lib/cni/bridge') ? [] : ["Debian's containernetworking-plugins"]),
    ...(existsSync(binary) || onPath('go') ? [] : [`Go, to build Kubernetes, or its binary as ${binary}`]),
    ...(globSync('/usr/lib/postgresql/*/bin/initdb').length > 0 ? [] : ["Debian's postgresql"]),
  ]
}

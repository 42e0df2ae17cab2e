import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type NodePlace = {
  folder: string
  /** Bridges of the machine: one for the pods, and an empty one whose address is the node's. */
  podBridge: string
  nodeBridge: string
  podSubnet: string
  nodeAddress: string
  cgroupRoot: string
}

export const pauseImage = 'localhost/pause:1'
export const containerdSocket = ({ folder }: NodePlace) => join(folder, 'containerd.sock')

/** Writes the settings of containerd (1.6 and 2), of its network and of the kubelet. */
export function writeNodeSettings(place: NodePlace, kubeletPort: number, healthPort: number): void {
  const { folder } = place
  mkdirSync(join(folder, 'cni'))
  writeFileSync(join(folder, 'cni', '10-bridge.conflist'), JSON.stringify(network(place)))
  writeFileSync(join(folder, 'containerd.toml'), containerd(place))
  writeFileSync(join(folder, 'kubelet.yaml'), JSON.stringify(kubelet(place, kubeletPort, healthPort)))
}

const network = ({ folder, podBridge, podSubnet }: NodePlace) => ({
  cniVersion: '0.4.0',
  name: 'signalbox-test',
  plugins: [
    {
      type: 'bridge',
      bridge: podBridge,
      isGateway: true,
      ipMasq: false,
      hairpinMode: true,
      ipam: {
        type: 'host-local',
        dataDir: join(folder, 'cni-state'),
        ranges: [[{ subnet: podSubnet }]],
        routes: [{ dst: '0.0.0.0/0' }],
      },
    },
  ],
})

/** `restrict_oom_score_adj` is for machines where not even root may lower the score. */
const containerd = ({ folder }: NodePlace) => `version = 2
root = "${folder}/containerd"
state = "${folder}/containerd-run"
[grpc]
  address = "${folder}/containerd.sock"
[ttrpc]
  address = "${folder}/containerd.sock.ttrpc"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${pauseImage}"
  restrict_oom_score_adj = true
  netns_mounts_under_state_dir = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "${folder}/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
`

const kubelet = (place: NodePlace, port: number, healthzPort: number) => ({
  apiVersion: 'kubelet.config.k8s.io/v1beta1',
  kind: 'KubeletConfiguration',
  address: place.nodeAddress,
  port,
  healthzPort,
  cgroupDriver: 'cgroupfs',
  cgroupRoot: place.cgroupRoot,
  failCgroupV1: false,
  failSwapOn: false,
  makeIPTablesUtilChains: false,
  resolvConf: '/etc/resolv.conf',
  authentication: {
    anonymous: { enabled: false },
    webhook: { enabled: false },
    x509: { clientCAFile: join(place.folder, 'pki', 'ca.crt') },
  },
  authorization: { mode: 'AlwaysAllow' },
  // Or the images go when the disk is four fifths full.
  imageGCHighThresholdPercent: 100,
  evictionHard: { 'memory.available': '100Mi', 'nodefs.available': '1%', 'imagefs.available': '1%' },
  containerRuntimeEndpoint: `unix://${containerdSocket(place)}`,
})

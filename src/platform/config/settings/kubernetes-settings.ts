import { z } from '../../json/schema.ts'
import { isAddressOrNetwork } from '../../net/addresses/networks.ts'
import { listSetting, millisecondsSetting, urlSetting } from '../setting-values.ts'

const Name = z
  .string()
  .regex(
    /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/,
    'must be a name of Kubernetes: lowercase letters, digits, "." and "-"',
  )

const Quantity = z
  .string()
  .regex(/^\d+(\.\d+)?(m|[kMGT]|[KMGT]i)?$/, 'must be a quantity of Kubernetes, such as 500m, 2, 512Mi or 10Gi')

const label = /^[A-Za-z0-9]([A-Za-z0-9._/-]*[A-Za-z0-9])?=[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$/

const withoutPath = /^https?:\/\/[^/?#\s]+$/

/** The settings of interns as pods of a cluster. */
export const kubernetesSettings = {
  provisioner: z
    .enum(['process', 'kubernetes'])
    .default('process')
    .describe(
      'How interns are run: as processes of this host (`process`), or as pods of a Kubernetes cluster ([kubernetes.md](kubernetes.md)).',
    ),
  kubernetes_url: urlSetting(withoutPath, 'must be an address without a path, such as https://10.0.0.1:6443')
    .optional()
    .describe('The API server of the cluster. Required unless this service runs in a pod of the cluster.'),
  kubernetes_ca_file: z
    .string()
    .min(1)
    .default('/var/run/secrets/kubernetes.io/serviceaccount/ca.crt')
    .describe('The file with the CA certificate of the API server (PEM). Read for each request.'),
  kubernetes_token_file: z
    .string()
    .min(1)
    .default('/var/run/secrets/kubernetes.io/serviceaccount/token')
    .describe('The file with the token that authenticates this service to the API server. Read for each request.'),
  kubernetes_namespace: z
    .string()
    .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'must be a namespace: lowercase letters, digits and "-"')
    .default('signalbox-interns')
    .describe('The namespace of all objects of interns. It must not be used by another service.'),
  kubernetes_image: z
    .string()
    .regex(/^[^\s]+$/, 'must be the name of an image')
    .optional()
    .describe('The image of interns: that of this service (`Containerfile`) or one based on it.'),
  kubernetes_image_pull_secret: Name.optional().describe('The Secret for pulling the image, if required.'),
  kubernetes_service_url: urlSetting(
    withoutPath,
    'must be an address without a path, such as http://signalbox.signalbox.svc:8080',
  )
    .optional()
    .describe('The address of this service for pods: `http://signalbox.signalbox.svc:8080`.'),
  kubernetes_servers: listSetting(
    z
      .string()
      .refine(
        (peer) => isAddressOrNetwork(peer) || label.test(peer),
        'must be labels of pods (name=value) or networks',
      ),
  )
    .default(['app.kubernetes.io/name=signalbox'])
    .describe(
      'The servers of this service: pods by label, in any namespace, or networks: `app.kubernetes.io/name=signalbox, 10.0.0.0/24`.',
    ),
  kubernetes_egress: listSetting(
    z
      .string()
      .refine(
        (peer) => peer === 'public' || isAddressOrNetwork(peer),
        'must be "public" or networks such as 10.0.0.0/8',
      ),
  )
    .default([])
    .describe(
      'Other destinations that interns can reach: networks, or `public` for everything outside private networks.',
    ),
  kubernetes_storage_class: Name.optional().describe(
    'The storage class of interns’ volumes. Default: that of the cluster.',
  ),
  kubernetes_storage: Quantity.default('10Gi').describe('The size of an intern’s volume.'),
  kubernetes_runtime_class: Name.optional().describe(
    'The runtime class of interns’ pods, such as `gvisor`. Default: that of the cluster.',
  ),
  kubernetes_cpu_request: Quantity.default('50m').describe('The CPU request of each intern.'),
  kubernetes_cpu_limit: Quantity.default('2').describe('The CPU limit of each intern.'),
  kubernetes_memory_request: Quantity.default('128Mi').describe(
    'The memory request of each intern. The limit is `intern_memory_bytes`.',
  ),
  kubernetes_start_ms: millisecondsSetting(180_000).describe(
    'The time in which a pod must start and its intern must respond.',
  ),
  kubernetes_stop_ms: millisecondsSetting(60_000).describe('The maximum time for the deletion of an intern’s objects.'),
}

import { z } from '../json/schema.ts'
import { isNetwork } from '../net/networks.ts'
import { address, list, milliseconds } from './setting-values.ts'

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
  kubernetes_url: address(withoutPath, 'must be an address without a path, such as https://10.0.0.1:6443')
    .optional()
    .describe('The API server of the cluster. In a pod of the cluster it is known; outside it must be set.'),
  kubernetes_ca_file: z
    .string()
    .min(1)
    .default('/var/run/secrets/kubernetes.io/serviceaccount/ca.crt')
    .describe('Who vouches for the API server, as PEM. Read again for each request.'),
  kubernetes_token_file: z
    .string()
    .min(1)
    .default('/var/run/secrets/kubernetes.io/serviceaccount/token')
    .describe('The token by which the API server knows this service. Read again for each request.'),
  kubernetes_namespace: z
    .string()
    .regex(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/, 'must be a namespace: lowercase letters, digits and "-"')
    .default('signalbox-interns')
    .describe('The namespace of all objects of interns. No other service uses it.'),
  kubernetes_image: z
    .string()
    .regex(/^[^\s]+$/, 'must be the name of an image')
    .optional()
    .describe('The image of interns: that of this service (`Containerfile`), or one made from it.'),
  kubernetes_image_pull_secret: Name.optional().describe('The Secret with which the image is pulled, if it takes one.'),
  kubernetes_service_url: address(
    withoutPath,
    'must be an address without a path, such as http://signalbox.signalbox.svc:8080',
  )
    .optional()
    .describe('This service as pods reach it: `http://signalbox.signalbox.svc:8080`.'),
  kubernetes_servers: list(
    z.string().refine((peer) => isNetwork(peer) || label.test(peer), 'must be labels of pods (name=value) or networks'),
  )
    .default(['app.kubernetes.io/name=signalbox'])
    .describe(
      'Who may reach interns, and whom interns reach for models: pods with a label, in any namespace, or networks: `app.kubernetes.io/name=signalbox, 10.0.0.0/24`.',
    ),
  kubernetes_egress: list(
    z
      .string()
      .refine((peer) => peer === 'public' || isNetwork(peer), 'must be "public" or networks such as 10.0.0.0/8'),
  )
    .default([])
    .describe('What else interns reach: networks, or `public` for all that is in no private network.'),
  kubernetes_storage_class: Name.optional().describe('The class of interns’ volumes; that of the cluster unless set.'),
  kubernetes_storage: Quantity.default('10Gi').describe('How large the volume of an intern is.'),
  kubernetes_runtime_class: Name.optional().describe(
    'The runtime class of their pods, such as `gvisor`; that of the cluster unless set.',
  ),
  kubernetes_cpu_request: Quantity.default('50m').describe('How much of a processor is kept for each intern.'),
  kubernetes_cpu_limit: Quantity.default('2').describe('How much of processors an intern may use.'),
  kubernetes_memory_request: Quantity.default('128Mi').describe(
    'How much memory is kept for each intern. How much it may hold says `intern_memory_bytes`.',
  ),
  kubernetes_start_ms: milliseconds(180_000).describe(
    'How long a pod may take until its intern answers: its image is pulled and its volume made in this time.',
  ),
  kubernetes_stop_ms: milliseconds(60_000).describe(
    'How long what is left of an intern may take to go, before it is told what is stuck.',
  ),
}

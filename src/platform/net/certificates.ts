import { createPrivateKey, generateKeyPair, type KeyObject, randomBytes, sign } from 'node:crypto'
import { promisify } from 'node:util'
import { AsnConvert, OctetString } from '@peculiar/asn1-schema'
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  Extension,
  Extensions,
  GeneralName,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_kp_clientAuth,
  id_kp_serverAuth,
  KeyUsage,
  KeyUsageFlags,
  Name,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from '@peculiar/asn1-x509'

/** A certificate and its private key, as PEM. */
export type IssuedCertificate = { certificate: string; key: string }

/** The validity of a certificate, in milliseconds since the epoch. */
export type Period = { from: number; until: number }

/** The subject of a leaf certificate, which is valid either for servers or for clients. */
export type LeafSubject = { name: string; as: 'server' | 'client' }

const newKeyPair = promisify(generateKeyPair)
const commonName = '2.5.4.3'
const ecdsaWithSha256 = '1.2.840.10045.4.3.2'

/** Creates a self-signed CA that can sign only leaf certificates. */
export async function createCa(name: string, period: Period): Promise<IssuedCertificate> {
  const { publicKey, privateKey } = await newKeyPair('ec', { namedCurve: 'prime256v1' })
  const extensions = [
    createExtension(id_ce_basicConstraints, new BasicConstraints({ cA: true, pathLenConstraint: 0 })),
    createExtension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.keyCertSign)),
  ]
  const certificate = signCertificate({ subject: name, issuer: name, publicKey, period, extensions }, privateKey)
  return { certificate, key: toPem(privateKey) }
}

/** Issues a leaf certificate with a new key, signed by a CA. */
export async function issueCertificate(
  ca: IssuedCertificate & { name: string },
  leaf: LeafSubject,
  period: Period,
): Promise<IssuedCertificate> {
  const { publicKey, privateKey } = await newKeyPair('ec', { namedCurve: 'prime256v1' })
  const purpose = leaf.as === 'server' ? id_kp_serverAuth : id_kp_clientAuth
  const extensions = [
    createExtension(id_ce_basicConstraints, new BasicConstraints({ cA: false })),
    createExtension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.digitalSignature)),
    createExtension(id_ce_extKeyUsage, new ExtendedKeyUsage([purpose])),
    createExtension(id_ce_subjectAltName, new SubjectAlternativeName([new GeneralName({ dNSName: leaf.name })]), {
      critical: false,
    }),
  ]
  const fields = { subject: leaf.name, issuer: ca.name, publicKey, period, extensions }
  return { certificate: signCertificate(fields, createPrivateKey(ca.key)), key: toPem(privateKey) }
}

type CertificateFields = {
  subject: string
  issuer: string
  publicKey: KeyObject
  period: Period
  extensions: Extension[]
}

function signCertificate(
  { subject, issuer, publicKey, period, extensions }: CertificateFields,
  key: KeyObject,
): string {
  const signature = new AlgorithmIdentifier({ algorithm: ecdsaWithSha256 })
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    serialNumber: createSerialNumber(),
    signature,
    issuer: toDistinguishedName(issuer),
    validity: new Validity({ notBefore: new Date(period.from), notAfter: new Date(period.until) }),
    subject: toDistinguishedName(subject),
    subjectPublicKeyInfo: AsnConvert.parse(publicKey.export({ type: 'spki', format: 'der' }), SubjectPublicKeyInfo),
    extensions: new Extensions(extensions),
  })
  const bytes = Buffer.from(AsnConvert.serialize(tbsCertificate))
  const signatureValue = new Uint8Array(sign('sha256', bytes, key)).buffer
  const certificate = new Certificate({ tbsCertificate, signatureAlgorithm: signature, signatureValue })
  const lines =
    Buffer.from(AsnConvert.serialize(certificate))
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}

/** Sixteen bytes that form a positive number without leading zeros, as the format requires. */
function createSerialNumber(): ArrayBuffer {
  const bytes = new Uint8Array(randomBytes(16))
  bytes[0] = (bytes[0]! & 0x3f) | 0x40
  return bytes.buffer
}

function toDistinguishedName(name: string): Name {
  const value = new AttributeValue({ utf8String: name })
  return new Name([new RelativeDistinguishedName([new AttributeTypeAndValue({ type: commonName, value })])])
}

function createExtension(extnID: string, value: unknown, { critical } = { critical: true }): Extension {
  return new Extension({ extnID, critical, extnValue: new OctetString(AsnConvert.serialize(value)) })
}

const toPem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }) as string

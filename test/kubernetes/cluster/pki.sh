#!/usr/bin/env bash
# The cluster's certificates, keys and the administrator's kubeconfig, in this folder. usage: pki.sh API_SERVER_URL
set -euo pipefail
mkdir -p pki && cd pki
ec=(-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes)
openssl req -x509 "${ec[@]}" -days 365 -subj /CN=ca -keyout ca.key -out ca.crt
leaf() { # name, subject, extension
  openssl req "${ec[@]}" -subj "$2" -keyout "$1.key" -out "$1.csr"
  openssl x509 -req -in "$1.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -days 365 -extfile <(echo "$3") -out "$1.crt"
}
leaf apiserver /CN=kube-apiserver 'subjectAltName=IP:127.0.0.1,IP:10.96.0.1,DNS:localhost,DNS:kubernetes.default.svc'
leaf kubelet-client /O=system:masters/CN=kube-apiserver-kubelet-client extendedKeyUsage=clientAuth
leaf admin /O=system:masters/CN=admin extendedKeyUsage=clientAuth
openssl genrsa -out sa.key 2048
openssl rsa -in sa.key -pubout -out sa.pub
base64() { command base64 -w0 "$1"; }
cat >../kubeconfig <<K
apiVersion: v1
kind: Config
clusters: [{name: test, cluster: {server: "$1", certificate-authority-data: $(base64 ca.crt)}}]
users: [{name: admin, user: {client-certificate-data: $(base64 admin.crt), client-key-data: $(base64 admin.key)}}]
contexts: [{name: test, context: {cluster: test, user: admin, namespace: default}}]
current-context: test
K

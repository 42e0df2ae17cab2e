#!/usr/bin/env bash
# Builds etcd and all parts of Kubernetes into one binary, from the Go module proxy alone.
# usage: build.sh VERSION SCRATCH_FOLDER OUT
# k8s.io/kubernetes points its staging modules at ./staging; here each points at the published module instead.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
version=$1 minor=${1#1.} scratch=$2 out=$3
export GOFLAGS=-buildvcs=false CGO_ENABLED=0

mkdir -p "$scratch" && cd "$scratch"
cp "$here/main.go" .
upstream=$(go mod download -json "k8s.io/kubernetes@v$version" | sed -n 's/.*"GoMod": "\(.*\)".*/\1/p')
{
  echo 'module kube'
  grep -E '^(go|godebug) [^(]' "$upstream"
  awk '/^godebug \(/,/^\)/' "$upstream"
  echo "require k8s.io/kubernetes v$version"
  grep -oE '^[[:space:]]+k8s\.io/[a-z0-9-]+ v0\.0\.0$' "$upstream" |
    awk -v v="v0.$minor" '{print "require " $1 " " v "\nreplace " $1 " => " $1 " " v}'
} >go.mod
go mod tidy

names="-X k8s.io/component-base/version.gitVersion=v$version -X k8s.io/client-go/pkg/version.gitVersion=v$version"
names+=" -X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=${minor%%.*}"
go build -trimpath -ldflags="-s -w $names" -o "$out.new" .
mv "$out.new" "$out"

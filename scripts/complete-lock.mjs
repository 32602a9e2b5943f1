/**
 * Completes package-lock.json after packages were added or updated: `npm run complete-lock`.
 *
 * It adds the optional packages of other platforms that npm left out because the registry in use does not have them;
 * without them `npm ci` rejects the lock on every platform. Each entry names its platform, and npm skips it on all
 * others.
 *
 * It removes the Node versions that packages require. npm compares them with the Node that npm itself runs on and would
 * warn on Node 20, although everything here runs on the Node that package.json pins.
 */
import { readFileSync, writeFileSync } from 'node:fs'

const file = new URL('../package-lock.json', import.meta.url)
const lock = JSON.parse(readFileSync(file, 'utf8'))
const PLATFORM = /-(linux|darwin|win32|android|freebsd)-(x64|arm64|arm|ia32|ppc64|s390x|riscv64)(?:-(musl|gnu))?$/
const added = []

for (const [where, holder] of Object.entries(lock.packages)) {
  delete holder.engines
  for (const [name, version] of Object.entries(holder.optionalDependencies ?? {})) {
    const isThere = [`${where}/node_modules/${name}`, `node_modules/${name}`].some((place) => place in lock.packages)
    const [, os, cpu, libc] = PLATFORM.exec(name) ?? []
    if (isThere || os === undefined) continue
    lock.packages[`node_modules/${name}`] = {
      version: version.replace(/^[~^]/, ''),
      cpu: [cpu],
      ...(os === 'linux' && name.startsWith('@biomejs/') && { libc: [libc === 'musl' ? 'musl' : 'glibc'] }),
      ...(holder.dev && { dev: true }),
      ...(holder.license && { license: holder.license }),
      optional: true,
      os: [os],
    }
    added.push(name)
  }
}

lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)))
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
console.log(added.length === 0 ? 'The lock is complete.' : `Added: ${added.join(', ')}.`)

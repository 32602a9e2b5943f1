/**
 * Completes package-lock.json after packages were added or updated: `npm run complete-lock`.
 *
 * Adds the optional packages for other platforms that npm left out because the registry does not have them. Without
 * these packages, `npm ci` rejects the lock file on every platform. Each entry contains its platform, and npm ignores
 * the entry on other platforms.
 *
 * Removes the Node versions that packages require. npm compares them with the Node version on which npm itself runs. It
 * would print warnings on Node 20, although all scripts run on the version in package.json.
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

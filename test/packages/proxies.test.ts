import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { root } from '../../scripts/conformance/contract.ts'
import { freePort } from '../../scripts/processes/service.ts'

/** The configurations of the page, with the ports and folders of this test in place of those of a deployment. */
const page = readFileSync(path.join(root, 'docs/operating/proxies.md'), 'utf8')
const blockOf = (language: string) => new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 's').exec(page)?.[1] ?? ''

const SECRET = 'k3yk3yk3yk3yk3yk3yk3yk3yk3yk3yk3'
const PATHS = [
  `/portal/inv_01m7y975jyfesvq68ta8y8ma68.${SECRET}`,
  `/portal/ven_01m7y975jyfesvq68ta8y8ma68.${SECRET}/po_01m7y975jyfesvq68ta8y8ma68/pdf?language=es`,
  `/portal/inv_01m7y975jyfesvq68ta8y8ma68%2e${SECRET}`,
  `/calendars/cal_01m7y975jyfesvq68ta8y8ma68.${SECRET}.ics`,
]

function isInstalled(program: string): boolean {
  const found = spawnSync(program, ['-v']).error === undefined
  if (!found) console.error(`${program} is not installed, so its configuration is not tried.`)
  return found
}

test.skipIf(!isInstalled('nginx'))('the configuration of nginx keeps secrets out of the access log', async () => {
  const { folder, port, backend } = await prepare()
  const log = path.join(folder, 'access.log')
  const server = blockOf('nginx')
    .replace(/server \{\n {2}listen 80;.*?\n\}\n/s, '')
    .replace('listen 443 ssl http2;', `listen 127.0.0.1:${port};`)
    .replaceAll(/ {2}ssl_.*\n/g, '')
    .replace('server 127.0.0.1:3000;', `server 127.0.0.1:${backend};`)
    .replace('/var/log/nginx/access.log', log)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${path.join(folder, name)};`,
  )
  const file = path.join(folder, 'nginx.conf')
  writeFileSync(
    file,
    `daemon off;\npid ${folder}/nginx.pid;\nevents {}\nhttp {\n${temporary.join('\n')}\n${server}\n}\n`,
  )
  run(spawn('nginx', ['-p', folder, '-e', 'stderr', '-c', file], { stdio: 'inherit' }))
  await expectRedacted(port, log)
})

test.skipIf(!isInstalled('caddy'))('the configuration of Caddy keeps secrets out of the access log', async () => {
  const { folder, port, backend } = await prepare()
  const log = path.join(folder, 'access.log')
  const site = blockOf('caddy')
    .replace('build.example.com {', `http://127.0.0.1:${port} {`)
    .replace('127.0.0.1:3000', `127.0.0.1:${backend}`)
    .replace('/var/log/caddy/access.log', log)
  const file = path.join(folder, 'Caddyfile')
  writeFileSync(file, `{\n\tadmin off\n\tauto_https off\n}\n${site}`)
  const env = { ...process.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
  run(spawn('caddy', ['run', '--adapter', 'caddyfile', '--config', file], { stdio: 'ignore', env }))
  await expectRedacted(port, log)
})

async function prepare() {
  const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-proxy-'))
  mkdirSync(path.join(folder, 'logs'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const service = createServer((_req, res) => res.end('ok')).listen(0, '127.0.0.1')
  await once(service, 'listening')
  onTestFinished(() => void service.close())
  return { folder, port: await freePort(), backend: (service.address() as AddressInfo).port }
}

function run(proxy: ChildProcess): void {
  onTestFinished(async () => {
    proxy.kill('SIGTERM')
    if (proxy.exitCode === null) await once(proxy, 'exit')
  })
}

async function expectRedacted(port: number, log: string): Promise<void> {
  const get = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status
  await vi.waitFor(async () => expect(await get('/healthz')).toBe(200), { timeout: 20_000, interval: 100 })
  for (const path of PATHS) expect([path, await get(path)]).toEqual([path, 200])
  const lines = await vi.waitFor(
    () => {
      const lines = readFileSync(log, 'utf8').split('\n')
      expect(lines.filter((line) => /portal|calendars/.test(line))).toHaveLength(PATHS.length)
      return lines.join('\n')
    },
    { timeout: 20_000, interval: 100 },
  )
  expect(lines).not.toContain(SECRET)
  expect(lines).toContain('/portal/inv_01m7y975jyfesvq68ta8y8ma68.***')
  expect(lines).toContain('/po_01m7y975jyfesvq68ta8y8ma68/pdf')
}

// @ts-check
// In JavaScript, for the same reason as server/main.js.
import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { parseEnv } from 'node:util'

/**
 * Runs a command as the user under which the installed service runs, with the service's environment, which only root
 * can read:
 *
 *     as-service.js <user>:<group> <environment file> [NAME=value…] -- <command>
 *
 * The environment file overrides the settings before it, as EnvironmentFile= overrides Environment= in systemd. The
 * rest of the caller's environment is not passed on, because its DATABASE_URL could select another database.
 */
const [account = '', file = '', ...rest] = process.argv.slice(2)
const [user = '', group = ''] = account.split(':').map((id) => (/^\d+$/.test(id) ? Number(id) : id))
const end = rest.indexOf('--')

/**
 * @param {string} sentence
 * @returns {never}
 */
function refuse(sentence) {
  process.stderr.write(`${JSON.stringify({ error: { code: 'configuration', detail: sentence } }, null, 2)}\n`)
  process.exit(1)
}

/** @returns {Record<string, string | undefined>} */
function readEnvironment() {
  try {
    return parseEnv(readFileSync(file, 'utf8'))
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error)
    if (code === 'ENOENT') return {}
    return refuse(`Cannot read ${file}: ${message}. Run the command with sudo.`)
  }
}

const { PATH = '', LANG, TERM } = process.env
const settings = Object.fromEntries(
  rest.slice(0, end).map((setting) => {
    const at = setting.indexOf('=')
    return [setting.slice(0, at), setting.slice(at + 1)]
  }),
)
const environment = { PATH, LANG, TERM, ...settings, ...readEnvironment() }
const { uid, username } = userInfo()
if (username !== user && uid !== user) {
  try {
    process.setgroups?.([group])
    process.setgid?.(group)
    process.setuid?.(user)
  } catch (error) {
    refuse(`The command cannot run as ${user}: ${/** @type {Error} */ (error).message}. Run the command with sudo.`)
  }
}
for (const name of Object.keys(process.env)) delete process.env[name]
for (const [name, value] of Object.entries(environment)) if (value !== undefined) process.env[name] = value

// The modules are loaded only after root's rights and environment have been dropped.
const { enableCompilationCache } = await import('../../platform/runtime/compile-cache.js')
enableCompilationCache()
const { runCli } = await import('./program.ts')
await runCli([process.execPath, 'plumbline', ...rest.slice(end + 1)])

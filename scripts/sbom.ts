import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/**
 * Prints the software bill of materials of the production dependencies, as CycloneDX JSON:
 * `npm run --silent sbom > sbom.json`. The list is derived from package-lock.json alone, so it needs neither the
 * network nor installed packages.
 *
 * npm creates the list from a copy of the package without its development tools and workspaces. `--omit dev` would also
 * leave out packages that a development tool needs too, such as the PostgreSQL driver.
 */
const root = path.join(import.meta.dirname, '..')

interface Package {
  name?: string
  version?: string
  dev?: boolean
  link?: boolean
  workspaces?: unknown
  devDependencies?: unknown
  [field: string]: unknown
}

const folder = mkdtempSync(path.join(tmpdir(), 'plumbline-sbom-'))
try {
  const manifest = omitTools(read<Package>('package.json'))
  const lock = read<{ packages: Record<string, Package> }>('package-lock.json')
  const shipped = Object.entries(lock.packages).filter(
    ([place, { dev, link }]) => dev !== true && link !== true && (place === '' || place.startsWith('node_modules/')),
  )
  const packages = Object.fromEntries(shipped.map(([place, each]) => [place, place === '' ? omitTools(each) : each]))
  write('package.json', manifest)
  write('package-lock.json', { ...lock, packages })
  const bom = JSON.parse(
    execFileSync('npm', ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only'], {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 100 * 1024 * 1024,
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  ) as { metadata: { component: Package } }
  // npm uses the name of the folder, so set the name of the package.
  bom.metadata.component.name = manifest.name
  process.stdout.write(`${JSON.stringify(bom, null, 2)}\n`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function omitTools({ devDependencies: _, workspaces: __, ...rest }: Package): Package {
  return rest
}

function read<T>(file: string): T {
  return JSON.parse(readFileSync(path.join(root, file), 'utf8')) as T
}

function write(file: string, content: unknown): void {
  writeFileSync(path.join(folder, file), JSON.stringify(content))
}

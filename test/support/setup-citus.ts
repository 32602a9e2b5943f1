import { randomBytes } from 'node:crypto'
import type { TestProject } from 'vitest/node'
import { buildPages } from '../../web/build.ts'
import { type CitusCluster, createCitusTemplate, dropCitusDatabases } from './citus.ts'

/** Lets the test files of this run create databases on the cluster at CITUS_URL. Deletes these databases at the end. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const url = process.env.CITUS_URL
  if (url === undefined) throw new Error('The project "citus" needs CITUS_URL, the URL of a coordinator.')
  await buildPages()
  const cluster: CitusCluster = { url, prefix: `plumbline_test_${randomBytes(3).toString('hex')}_` }
  await createCitusTemplate(cluster)
  project.provide('citus', cluster)
  project.provide('postgres', null)
  project.provide('pgliteTemplate', null)
  return () => dropCitusDatabases(cluster)
}

import { useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import type { Home, HomeUpdate } from '../../../client/contract.gen.ts'
import { toErrorMessage } from '../../api/error-message.ts'
import { plumbline } from '../../api/plumbline.ts'
import { ChangedSince } from '../../ui/changed-since.tsx'
import { Page } from '../../ui/page.tsx'
import { LoadError, SkeletonLines } from '../../ui/states.tsx'
import { showToast } from '../../ui/toast.tsx'
import { HomeForm } from './home-form.tsx'

/** The page that changes a home: its lot, its plan, and its superintendent. */
export function Component() {
  const { homeId = '' } = useParams()
  const home = plumbline.useQuery('get', '/api/ext/homes/{homeId}', { params: { path: { homeId } } })
  const name = home.data?.name ?? 'Home'
  return (
    <Page
      title={`Edit ${name}`}
      crumbs={[{ name: 'Homes', to: '/homes' }, { name, to: `/homes/${homeId}` }, { name: 'Edit' }]}
    >
      <div className="page-head">
        <h1>Edit {name}</h1>
      </div>
      {home.error !== null ? (
        <LoadError what="The home" error={home.error} onRetry={() => void home.refetch()} />
      ) : home.data === undefined ? (
        <SkeletonLines lines={6} />
      ) : (
        <EditedHome key={home.data.id} home={home.data} />
      )}
    </Page>
  )
}

function EditedHome({ home }: { home: Home }) {
  const navigate = useNavigate()
  // The home as it was when the page was opened. Later changes by other users do not change the form.
  const [before] = useState(home)
  const [sent, setSent] = useState<HomeUpdate>({})
  const change = plumbline.useMutation('patch', '/api/ext/homes/{homeId}', {
    onSuccess: ({ id, name }) => {
      showToast(`${name} changed`)
      void navigate(`/homes/${id}`)
    },
  })
  const save = (body: HomeUpdate, version: number) => {
    setSent(body)
    change.mutate({ params: { path: { homeId: home.id }, header: { 'If-Match': `"${version}"` } }, body })
  }
  const isConflict = toErrorMessage(change.error).problem?.code === 'precondition_failed'
  return (
    <>
      <ChangedSince error={change.error} before={before} now={home} onOverwrite={() => save(sent, home.version)} />
      <HomeForm
        home={before}
        communityId={before.communityId}
        error={isConflict ? null : change.error}
        isPending={change.isPending}
        word="Save home"
        onSubmit={({ body }) => save(body, before.version)}
      />
    </>
  )
}

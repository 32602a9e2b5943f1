import { useNavigate, useSearchParams } from 'react-router'
import { plumbline } from '../../../api/plumbline.ts'
import { Page } from '../../../ui/page.tsx'
import { LoadError, SkeletonLines } from '../../../ui/states.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { TemplateEditor } from './template-editor.tsx'

/** The page that creates a template, either empty or with the tasks of another template. */
export function Component() {
  const navigate = useNavigate()
  const copied = useSearchParams()[0].get('copy')
  const source = plumbline.useQuery(
    'get',
    '/api/ext/task-templates/{taskTemplateId}',
    { params: { path: { taskTemplateId: copied ?? '' } } },
    { enabled: copied !== null },
  )
  const create = plumbline.useMutation('post', '/api/ext/task-templates', {
    onSuccess: ({ id, name }) => {
      showToast(`${name} created`)
      void navigate(`/catalogue/task-templates/${id}`)
    },
  })
  const isReady = copied === null || source.data !== undefined
  return (
    <Page
      title="New task template"
      crumbs={[
        { name: 'Catalog', to: '/catalogue' },
        { name: 'Task templates', to: '/catalogue/task-templates' },
        { name: 'New template' },
      ]}
    >
      <div className="page-head">
        <h1>New task template</h1>
        <p>
          {source.data === undefined
            ? 'The tasks of a home, with their durations and predecessors.'
            : `A copy of ${source.data.name}. Change its name and the homes that it applies to.`}
        </p>
      </div>
      {source.error !== null ? (
        <LoadError what="The template" error={source.error} onRetry={() => void source.refetch()} />
      ) : !isReady ? (
        <SkeletonLines lines={8} />
      ) : (
        <TemplateEditor
          key={copied ?? 'new'}
          template={null}
          source={copied === null ? null : (source.data ?? null)}
          error={create.error}
          isPending={create.isPending}
          word="Create template"
          onSave={(body) => create.mutate({ body })}
        />
      )}
    </Page>
  )
}

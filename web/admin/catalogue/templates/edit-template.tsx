import { useNavigate, useParams } from 'react-router'
import type { TaskTemplate } from '../../../../client/contract.gen.ts'
import { plumbline } from '../../../api/plumbline.ts'
import { Page } from '../../../ui/page.tsx'
import { EmptyState, LoadError, SkeletonLines } from '../../../ui/states.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { TemplateEditor } from './template-editor.tsx'

/** The page that edits the tasks of a template in a grid, and saves all changes together. */
export function Component() {
  const { taskTemplateId = '' } = useParams()
  const at = { params: { path: { taskTemplateId } } }
  const template = plumbline.useQuery('get', '/api/ext/task-templates/{taskTemplateId}', at)
  const name = template.data?.name ?? 'Template'
  return (
    <Page
      title={`Edit ${name}`}
      crumbs={[
        { name: 'Catalog', to: '/catalogue' },
        { name: 'Task templates', to: '/catalogue/task-templates' },
        { name, to: `/catalogue/task-templates/${taskTemplateId}` },
        { name: 'Edit' },
      ]}
    >
      <div className="page-head">
        <h1>Edit {name}</h1>
        <p>The changes are saved together. Existing schedules do not change.</p>
      </div>
      {template.error !== null ? (
        <LoadError what="The template" error={template.error} onRetry={() => void template.refetch()} />
      ) : template.data === undefined ? (
        <SkeletonLines lines={8} />
      ) : template.data.archivedAt !== null ? (
        <EmptyState icon="lock" title={`${name} cannot be edited`}>
          The template is archived.
        </EmptyState>
      ) : (
        <EditedTemplate key={template.data.id} template={template.data} />
      )}
    </Page>
  )
}

function EditedTemplate({ template }: { template: TaskTemplate }) {
  const navigate = useNavigate()
  const change = plumbline.useMutation('patch', '/api/ext/task-templates/{taskTemplateId}', {
    onSuccess: ({ id, name }) => {
      showToast(`${name} saved`)
      void navigate(`/catalogue/task-templates/${id}`)
    },
  })
  return (
    <TemplateEditor
      template={template}
      source={null}
      error={change.error}
      isPending={change.isPending}
      word="Save template"
      onSave={(body, version) =>
        change.mutate({
          params: {
            path: { taskTemplateId: template.id },
            header: version === undefined ? {} : { 'If-Match': `"${version}"` },
          },
          body,
        })
      }
    />
  )
}

import { AsyncPipe } from '@angular/common'
import { Component, inject } from '@angular/core'
import { ShortLinks } from './shortlink'

@Component({
  selector: 'app-links',
  imports: [AsyncPipe],
  template: `
    <ul>
      @for (link of links | async; track link.id) {
        <li>{{ link.shorturl }}</li>
      }
    </ul>
  `,
})
export class Links {
  protected readonly links = inject(ShortLinks).links()
}

"""What goes over the wire: frames, answers, problems, in JSON or MessagePack."""
